//! Rate limit of authenticated callers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tarsy_config::settings::RateLimit;

use crate::access::actor::{Actor, AuthMethod};
use crate::access::bucket::{Bucket, Rate};

/// Number of tracked callers above which those with a full bucket are dropped.
const MOST_CALLERS: usize = 20_000;

/// Rate limiter with a token bucket for each caller, in this process.
#[derive(Debug)]
pub(super) struct RateLimiter {
    rate: Option<Rate>,
    buckets: Mutex<HashMap<String, Bucket>>,
}

impl RateLimiter {
    pub(super) fn new(limit: Option<RateLimit>) -> Self {
        Self {
            rate: limit.map(|limit| Rate::new(limit.per_second.get(), limit.burst.get())),
            buckets: Mutex::default(),
        }
    }

    /// Counts a request of `actor`. Fails with the time to wait if there were too many.
    pub(super) fn admit(&self, actor: &Actor, now: Instant) -> Result<(), Duration> {
        let (Some(rate), Some(holder)) = (self.rate, holder(actor)) else {
            return Ok(());
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(&holder) && buckets.len() >= MOST_CALLERS {
            buckets.retain(|_, bucket| !bucket.is_full(now));
        }
        let bucket = buckets.entry(holder).or_insert(Bucket::full(now));
        bucket.take(rate, now)
    }
}

/// Returns the key of the actor's bucket. Users that come through the same forwarding key have
/// separate buckets.
fn holder(actor: &Actor) -> Option<String> {
    let name = actor.name();
    match actor.auth_method() {
        AuthMethod::Off => None,
        AuthMethod::Key(id)
        | AuthMethod::Forwarded(id)
        | AuthMethod::BrowserSession {
            key_id: Some(id), ..
        } => Some(format!("{id} {name}")),
        AuthMethod::Oidc | AuthMethod::BrowserSession { key_id: None, .. } => {
            Some(format!("person {name}"))
        }
        AuthMethod::Signature => Some(format!("source {name}")),
        AuthMethod::Slack => Some(format!("slack {name}")),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use tarsy_model::Role;

    use super::*;

    fn limiter() -> RateLimiter {
        let limit = NonZeroU32::new(2).unwrap();
        RateLimiter::new(Some(RateLimit {
            per_second: limit,
            burst: limit,
        }))
    }

    fn person(name: &str) -> Actor {
        Actor::new(name.to_owned(), Role::Viewer, AuthMethod::Oidc)
    }

    #[test]
    fn each_caller_has_a_bucket_of_their_own() {
        let (limiter, now) = (limiter(), Instant::now());
        let mut admitted = |name: &str| limiter.admit(&person(name), now).is_ok();
        assert_eq!(
            ["a", "a", "a", "b"].map(&mut admitted),
            [true, true, false, true]
        );
        let off = Actor::new("a".to_owned(), Role::Admin, AuthMethod::Off);
        assert!((0..10).all(|_| limiter.admit(&off, now).is_ok()));
    }

    #[test]
    fn callers_that_are_quiet_are_forgotten() {
        let (limiter, now) = (limiter(), Instant::now());
        for n in 0..MOST_CALLERS {
            limiter.admit(&person(&n.to_string()), now).unwrap();
        }
        let later = now + Duration::from_secs(60);
        limiter.admit(&person("late"), later).unwrap();
        assert_eq!(limiter.buckets.lock().unwrap().len(), 1);
    }
}
