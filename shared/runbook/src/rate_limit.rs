//! Rate limits of runbook servers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use tarsy_egress::{retry_after, server_time};
use tokio::time::Instant;

/// Wait if the response sets none, as GitHub recommends.
const DEFAULT_WAIT: Duration = Duration::from_secs(60);

const MAX_WAIT: Duration = Duration::from_secs(3600);

/// Returns how long to wait after a rate-limited response: status 429, or 403 with GitHub's headers. Times are compared
/// with the server's own clock, in its `Date` header.
pub(crate) fn wait_of(status: u16, headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let exhausted = text("x-ratelimit-remaining") == Some("0");
    if status != 429 && !(status == 403 && (exhausted || headers.contains_key(RETRY_AFTER))) {
        return None;
    }
    let until_reset = || {
        let reset: i64 = text("x-ratelimit-reset")?.parse().ok()?;
        let seconds = reset - server_time(headers)?.timestamp();
        u64::try_from(seconds).ok().map(Duration::from_secs)
    };
    let requested = retry_after(headers).or_else(|| exhausted.then(until_reset).flatten());
    Some(
        requested
            .unwrap_or(DEFAULT_WAIT)
            .clamp(Duration::from_secs(1), MAX_WAIT),
    )
}

/// Hosts that are rate-limited at the moment.
#[derive(Debug, Default)]
pub(crate) struct RateLimits(Mutex<HashMap<String, Instant>>);

impl RateLimits {
    /// Returns how much longer to wait before requests to a host.
    pub(crate) fn wait(&self, host: &str) -> Option<Duration> {
        let until = *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(host)?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Records how long to wait before requests to a host.
    pub(crate) fn set(&self, host: &str, wait: Duration) {
        let until = Instant::now() + wait;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.to_owned(), until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::wait_of;

    #[test]
    fn a_limit_is_distinguished_from_a_refusal_and_its_wait_is_read() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        type Case<'a> = (u16, &'a [(&'a str, &'a str)], Option<u64>);
        let table: [Case<'_>; 10] = [
            (200, &[("x-ratelimit-remaining", "0")], None),
            (403, &[], None),
            (403, &[("x-ratelimit-remaining", "12")], None),
            (403, &[("retry-after", "30")], Some(30)),
            (429, &[], Some(60)),
            (429, &[("retry-after", "0")], Some(1)),
            (429, &[("retry-after", "999999")], Some(3600)),
            (
                429,
                &[date, ("retry-after", "Sun, 06 Nov 1994 08:51:37 GMT")],
                Some(120),
            ),
            (
                403,
                &[
                    date,
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "784111877"),
                ],
                Some(100),
            ),
            (
                403,
                &[
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "784111877"),
                ],
                Some(60),
            ),
        ];
        for (status, headers, expected) in table {
            let pairs = headers.iter().map(|(name, value)| {
                (
                    HeaderName::try_from(*name).unwrap(),
                    HeaderValue::from_str(value).unwrap(),
                )
            });
            let wait = wait_of(status, &pairs.collect::<HeaderMap>());
            assert_eq!(
                wait,
                expected.map(Duration::from_secs),
                "{status} {headers:?}"
            );
        }
    }
}
