//! The times of a stage: when it began, when the alert happened, and where tools should look first.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use tarsy_model::UnixMicros;

/// How far before and after the alert the tools should look first.
const AROUND: TimeDelta = TimeDelta::hours(1);

/// Returns the section with the times; `None` if no time is known.
///
/// The current time in it is the recorded start of the stage, so a resumed stage sends the same text.
pub(super) fn section(started_at: Option<UnixMicros>, alert_at: UnixMicros) -> Option<String> {
    let now = started_at.and_then(time);
    let alert = time(alert_at);
    let mut said = Vec::new();
    if let Some(now) = now {
        said.push(format!("The current time is {}.", text(now)));
    }
    if let Some(alert) = alert {
        said.push(format!("The alert is from {}.", text(alert)));
        let begin = now.map_or(alert, |now| alert.min(now)) - AROUND;
        let end = alert + AROUND;
        let end = now.map_or(end, |now| end.min(now));
        said.push(format!(
            "Where a tool takes a time range, look at {} to {} first.",
            text(begin),
            text(end)
        ));
    }
    (!said.is_empty()).then(|| format!("## Time\n\n{}", said.join(" ")))
}

/// Converts a time; `None` if it is missing or outside the calendar's range.
fn time(at: UnixMicros) -> Option<DateTime<Utc>> {
    let time = DateTime::from_timestamp_micros(at.0)?;
    // Leave a margin for the range around it.
    let is_real = at.0 > 0 && time.checked_add_signed(AROUND).is_some();
    is_real.then_some(time)
}

/// Formats a time by RFC 3339, in whole seconds.
pub(super) fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn the_range_is_around_the_alert_and_ends_now() {
        let now = UnixMicros(1_700_000_000_000_000);
        let alert = UnixMicros(now.0 - HOUR / 2);
        assert_eq!(
            section(Some(now), alert).unwrap(),
            "## Time\n\nThe current time is 2023-11-14T22:13:20Z. The alert is from 2023-11-14T21:43:20Z. Where a tool takes a time \
             range, look at 2023-11-14T20:43:20Z to 2023-11-14T22:13:20Z first."
        );
        let old = section(Some(now), UnixMicros(now.0 - 48 * HOUR)).unwrap();
        assert!(
            old.ends_with("look at 2023-11-12T21:13:20Z to 2023-11-12T23:13:20Z first."),
            "{old}"
        );
        assert_eq!(section(None, UnixMicros(0)), None);
    }

    proptest! {
        #[test]
        fn any_times_give_a_text(now in proptest::option::of(any::<i64>()), alert in any::<i64>()) {
            let now = now.map(UnixMicros);
            prop_assert_eq!(section(now, UnixMicros(alert)), section(now, UnixMicros(alert)));
        }
    }
}
