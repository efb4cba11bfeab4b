//! The process's clock, for displayed times only.

use chrono::{DateTime, SecondsFormat, Utc};

/// Returns the current time in Unix microseconds.
pub(crate) fn now_us() -> i64 {
    Utc::now().timestamp_micros()
}

/// Returns the current time as RFC 3339 with microseconds.
pub(crate) fn now_text() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Converts an RFC 3339 time to Unix microseconds.
pub(crate) fn micros_of(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|time| time.timestamp_micros())
}

/// Formats Unix microseconds as RFC 3339 with seconds.
pub(crate) fn text_of(us: i64) -> String {
    DateTime::from_timestamp_micros(us)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Secs, true)
}
