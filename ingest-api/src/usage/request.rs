//! Query parameters of the usage report.

use tarsy_store::usage::{UsageBy, UsageSpan};

use crate::problem::{FieldError, Problem};
use crate::sessions::query::choice;

const HOUR_US: i64 = 3_600_000_000;
const DAY_US: i64 = 24 * HOUR_US;
/// The first Monday after the Unix epoch: weeks begin on Mondays (UTC).
const MONDAY_US: i64 = 4 * DAY_US;
/// Longest span in steps of an hour.
const MOST_BY_HOUR: i64 = 31 * DAY_US;
/// Longest span in longer steps; sums are stored for this long.
const MOST: i64 = 400 * DAY_US;
/// Default span.
const USUAL: i64 = 7 * DAY_US;

/// Parameters of the report.
#[derive(Debug)]
pub(crate) struct UsageRequest {
    pub(crate) span: UsageSpan,
    pub(crate) by: UsageBy,
    pub(crate) step: &'static str,
}

impl UsageRequest {
    /// Parses the parameters. Moves `from` back to the start of its step, and `to` forward to the
    /// end of its hour.
    pub(crate) fn read(pairs: &[(String, String)], now_us: i64) -> Result<Self, Problem> {
        let by: Vec<_> = UsageBy::ALL.iter().map(|by| (by.as_str(), *by)).collect();
        let by = choice(pairs, "by", &by)?.unwrap_or(UsageBy::Model);
        let steps = [
            ("hour", ("hour", HOUR_US, 0)),
            ("day", ("day", DAY_US, 0)),
            ("week", ("week", 7 * DAY_US, MONDAY_US)),
        ];
        let step = choice(pairs, "step", &steps)?;
        let (step, step_us, step_origin_us) = step.unwrap_or(("day", DAY_US, 0));
        let to_us = time(pairs, "to")?.unwrap_or(now_us).min(now_us + DAY_US);
        let from_us = time(pairs, "from")?.unwrap_or(to_us - USUAL);
        let (most, limit) = match step {
            "hour" => (MOST_BY_HOUR, "31 days with step=hour"),
            _ => (MOST, "400 days"),
        };
        let refuse = |text: String| Err(Problem::InvalidParameter(FieldError::new("from", text)));
        if from_us >= to_us {
            return refuse("must be before `to`".to_owned());
        }
        if to_us - from_us > most {
            return refuse(format!("must be at most {limit} before `to`"));
        }
        let from_us = (from_us - step_origin_us).div_euclid(step_us) * step_us + step_origin_us;
        let until_us = (to_us - 1).div_euclid(HOUR_US) * HOUR_US + HOUR_US;
        Ok(Self {
            span: UsageSpan {
                from_us,
                until_us,
                step_us,
                step_origin_us,
            },
            by,
            step,
        })
    }
}

fn time(pairs: &[(String, String)], name: &str) -> Result<Option<i64>, Problem> {
    let Some((_, value)) = pairs.iter().find(|(given, _)| given == name) else {
        return Ok(None);
    };
    let time = value
        .parse()
        .ok()
        .filter(|time| (0..=MOST_TIME).contains(time));
    match time {
        Some(time) => Ok(Some(time)),
        None => Err(Problem::InvalidParameter(FieldError::new(
            name,
            "must be a time in Unix microseconds",
        ))),
    }
}

/// A time in the year 2286. The limit keeps calculations with times from overflowing.
const MOST_TIME: i64 = 10_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<UsageRequest, Problem> {
        let pairs: Vec<(String, String)> = text
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        // Wednesday, 2026-11-25 03:30 UTC.
        UsageRequest::read(&pairs, 1_795_577_400_000_000)
    }

    #[test]
    fn spans_are_whole_steps_and_hours() {
        let week = read("step=week").unwrap().span;
        assert_eq!(week.from_us, 1_794_787_200_000_000, "Monday, 2026-11-16");
        assert_eq!(week.until_us, 1_795_579_200_000_000, "04:00");
        let day = read("to=1795564800000000&from=1795564799999999").unwrap();
        assert_eq!(
            (day.span.from_us, day.span.until_us),
            (1_795_478_400_000_000, 1_795_564_800_000_000)
        );
        assert_eq!((day.by, day.step), (UsageBy::Model, "day"));
    }

    #[test]
    fn spans_are_bounded() {
        for wrong in [
            "from=1&to=1",
            "from=2&to=1",
            "from=0",
            "from=x",
            "to=-1",
            "step=month",
            "by=user",
            "step=hour&from=1790000000000000",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("step=day&from=1790000000000000").is_ok());
    }
}
