//! Parses times as senders write them.

use chrono::DateTime;

use crate::webhooks::micros_of;

/// Parses a time as Unix microseconds. Accepts RFC 3339, the notations of GitLab and CloudWatch,
/// and Unix seconds, milliseconds or microseconds.
pub(super) fn time(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return match number {
            1..100_000_000_000 => Some(number * 1_000_000),
            100_000_000_000..100_000_000_000_000 => Some(number * 1_000),
            100_000_000_000_000.. => Some(number),
            _ => None,
        };
    }
    let others = || {
        let text = text.replace(" UTC", " +0000");
        let forms = ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%dT%H:%M:%S%.f%z"];
        let times = forms.map(|form| DateTime::parse_from_str(&text, form));
        Some(times.into_iter().find_map(Result::ok)?.timestamp_micros())
    };
    micros_of(text).or_else(others).filter(|us| *us > 0)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_read_as_senders_write_them() {
        for text in [
            "1700000000",
            "1700000000000",
            "1700000000000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T23:13:20+01:00",
            "2023-11-14 23:13:20 +0100",
            "2023-11-14 22:13:20 UTC",
            "2023-11-14T22:13:20.000+0000",
        ] {
            assert_eq!(time(text), Some(1_700_000_000_000_000), "{text}");
        }
        for text in ["", "-1", "0", "yesterday", "1969-01-01T00:00:00Z"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
