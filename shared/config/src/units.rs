//! Parses durations.

use std::time::Duration;

/// Parses `500ms`, `90s`, `1h 30m` or `7d`; a bare number means seconds.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    humantime::parse_duration(text).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn lengths_of_time_read_as_people_write_them() {
        let table = [
            ("90", Some(90_000)),
            ("0.5", Some(500)),
            ("500ms", Some(500)),
            (" 90s ", Some(90_000)),
            ("1h 30m", Some(5_400_000)),
            ("7d", Some(604_800_000)),
            ("-3", None),
            ("soon", None),
            ("10 parsecs", None),
            ("1e400", None),
            ("", None),
        ];
        for (text, millis) in table {
            assert_eq!(duration(text), millis.map(Duration::from_millis), "{text}");
        }
    }
}
