//! Reads `Retry-After` and the clock of the server that sends it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{AsHeaderName, DATE, HeaderMap, RETRY_AFTER};

/// Returns the wait in a response's `Retry-After` (RFC 9110 §10.2.3), given in seconds or as a date. `None` if the
/// header is missing or unreadable.
///
/// A date is compared with [`server_time`]. A date in the past means no wait.
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?;
    match value.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let wait = http_date(value)? - server_time(headers).unwrap_or_else(Utc::now);
            Some(wait.to_std().unwrap_or_default())
        }
    }
}

/// Returns the server's time from its `Date` header.
#[must_use]
pub fn server_time(headers: &HeaderMap) -> Option<DateTime<Utc>> {
    http_date(text(headers, DATE)?)
}

fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn http_date(value: &str) -> Option<DateTime<Utc>> {
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    Some(date.to_utc())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

    use super::retry_after;

    #[test]
    fn seconds_and_dates_are_read_and_the_rest_is_not() {
        for (value, millis) in [
            ("30", Some(30_000)),
            (" 0.5 ", Some(500)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:51:37 GMT", Some(120_000)),
            ("Sun, 06 Nov 1994 08:40:00 GMT", Some(0)),
            ("-5", None),
            ("1e999", None),
            ("NaN", None),
            ("soon", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([
                (
                    DATE,
                    HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"),
                ),
                (RETRY_AFTER, HeaderValue::from_static(value)),
            ]);
            let expected = millis.map(Duration::from_millis);
            assert_eq!(retry_after(&headers), expected, "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
