//! Parses ranges of time in the forms that models write.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use tarsy_series::written;

/// Length of a range without a given start, in seconds.
const DEFAULT_LENGTH: i64 = 3_600;
/// Number of points of a series if no step is given: enough to see a change that lasts a 240th of the range.
const WANTED_POINTS: i64 = 240;
/// Maximum number of points of a series, which is the limit of Prometheus.
const MOST_POINTS: i64 = 11_000;
/// Usual steps in seconds. The default step is one of these if the range is not too long.
const STEPS: [i64; 14] = [
    5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 86_400,
];

/// The arguments of a range, as the model gives them.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Arguments {
    start: Option<Value>,
    end: Option<Value>,
    step: Option<Value>,
}

/// A range of time, in seconds since 1970, and the step between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) step: i64,
}

impl Arguments {
    /// Returns the range that the arguments mean at the time `now`.
    ///
    /// The error text is written for the model.
    pub(crate) fn window(&self, now: i64) -> Result<Window, String> {
        let end = self.end.as_ref().map_or(Ok(now), |end| time(end, now))?;
        let before = end.saturating_sub(DEFAULT_LENGTH);
        let start = self.start.as_ref();
        let start = start.map_or(Ok(before), |start| time(start, now))?;
        if start >= end {
            let (start, end) = (written(start as f64), written(end as f64));
            return Err(format!("`start` ({start}) must be before `end` ({end})"));
        }
        let length = end.saturating_sub(start);
        let step = self.step.as_ref();
        let step = step.map_or(Ok(default_step(length)), seconds)?;
        if length / step > MOST_POINTS {
            return Err(format!(
                "a step of {step} s over {length} s gives more than {MOST_POINTS} points: take a step of at least {} s, or a shorter range",
                length / MOST_POINTS + 1
            ));
        }
        Ok(Window { start, end, step })
    }
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    Utc::now().timestamp()
}

/// Parses a time: RFC 3339, seconds or milliseconds since 1970, `now`, or an age such as `-30m`.
///
/// The error text is written for the model.
pub(crate) fn time(value: &Value, now: i64) -> Result<i64, String> {
    let text = text(value);
    let wrong = || {
        format!(
            "`{text}` is no time: write RFC 3339 (2026-01-31T12:00:00Z), seconds since 1970, or an age such as -30m"
        )
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(&text) {
        return Ok(time.timestamp());
    }
    if let Ok(number) = text.parse::<f64>()
        && number >= 0.0
    {
        // A number of this size is in milliseconds.
        let seconds = if number >= 1e11 { number / 1e3 } else { number };
        return Ok(seconds as i64);
    }
    if text == "now" {
        return Ok(now);
    }
    let age = text.strip_prefix("now").unwrap_or(&text).trim();
    let age = age.strip_prefix('-').unwrap_or(age).trim();
    let age = humantime::parse_duration(age).map_err(|_| wrong())?;
    Ok(now.saturating_sub(whole_seconds(age)))
}

fn seconds(step: &Value) -> Result<i64, String> {
    let text = text(step);
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    let duration = || humantime::parse_duration(&text).ok().map(whole_seconds);
    let seconds = number.map(|number| number as i64).or_else(duration);
    let seconds = seconds.map(|seconds| seconds.max(1));
    seconds.ok_or_else(|| format!("`{text}` is no step: write it like 30s or 5m"))
}

/// Returns a text, or a number as text.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        number => number.to_string(),
    }
}

fn whole_seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

fn default_step(length: i64) -> i64 {
    let least = length / WANTED_POINTS;
    let usual = STEPS.into_iter().find(|step| *step >= least);
    usual.unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NOON: i64 = 1_795_867_200;

    fn window(arguments: Value) -> Result<Window, String> {
        let arguments: Arguments = serde_json::from_value(arguments).expect("arguments");
        arguments.window(NOON)
    }

    #[test]
    fn times_are_read_as_models_write_them() {
        let hour = Window {
            start: NOON - 3_600,
            end: NOON,
            step: 15,
        };
        for arguments in [
            json!({}),
            json!({"start": "-1h"}),
            json!({"start": "1h", "end": "now"}),
            json!({"start": "now-1h"}),
            json!({"start": "now - 60m", "step": 15}),
            json!({"start": NOON - 3_600, "end": NOON.to_string(), "step": "15s"}),
            json!({"start": (NOON - 3_600) * 1_000}),
            json!({"start": "2026-11-28T11:00:00Z", "end": "2026-11-28T13:00:00+01:00"}),
        ] {
            assert_eq!(window(arguments.clone()), Ok(hour), "{arguments}");
        }
        assert_eq!(window(json!({"start": "-7d"})).map(|w| w.step), Ok(3_600));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_write() {
        for (arguments, said) in [
            (json!({"start": "yesterday"}), "is no time"),
            (json!({"start": "now", "end": "-1h"}), "must be before"),
            (json!({"start": "-7d", "step": "1s"}), "at least 55 s"),
            (json!({"step": "often"}), "like 30s"),
        ] {
            let error = window(arguments).expect_err("an error");
            assert!(error.contains(said), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_arguments_are_a_range_or_an_error(start in ".{0,20}", end in any::<i64>(), step in any::<f64>()) {
            if let Ok(window) = window(json!({"start": start, "end": end, "step": step})) {
                prop_assert!(window.start < window.end && window.step > 0);
            }
        }
    }
}
