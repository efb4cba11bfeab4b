//! Exponential backoff with full jitter.

use std::time::Duration;

use rand::Rng as _;

/// Delays that double up to a cap. Each is drawn evenly from zero to that bound ("full jitter"), so that clients that
/// failed together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Bound of the first delay.
    pub base: Duration,
    /// Longest delay, after any number of failures.
    pub cap: Duration,
}

impl Backoff {
    /// Between attempts of a job: up to 1 s, doubling to at most 5 min.
    pub const JOB: Self = Self {
        base: Duration::from_secs(1),
        cap: Duration::from_secs(300),
    };
    /// Between tries to reach Postgres: up to 20 ms, doubling to at most 1 s.
    pub const CONNECTION: Self = Self {
        base: Duration::from_millis(20),
        cap: Duration::from_secs(1),
    };

    /// Returns the longest delay after `failures` earlier failures.
    #[must_use]
    pub fn bound(&self, failures: u32) -> Duration {
        self.base
            .saturating_mul(2_u32.saturating_pow(failures))
            .min(self.cap)
    }

    /// Returns a delay drawn from zero to [`bound`](Self::bound).
    #[must_use]
    pub fn delay(&self, failures: u32) -> Duration {
        self.bound(failures).mul_f64(rand::rng().random::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_double_up_to_the_cap_and_never_overflow() {
        let backoff = Backoff {
            base: Duration::from_secs(1),
            cap: Duration::from_secs(60),
        };
        let bounds = [0, 1, 5, 6, u32::MAX].map(|n| backoff.bound(n).as_secs());
        assert_eq!(bounds, [1, 2, 32, 60, 60]);
    }

    #[test]
    fn delays_are_spread_over_the_whole_range() {
        let delays: Vec<_> = (0..500).map(|_| Backoff::JOB.delay(3)).collect();
        assert!(delays.iter().all(|d| *d <= Duration::from_secs(8)));
        assert!(delays.iter().any(|d| *d < Duration::from_secs(2)));
        assert!(delays.iter().any(|d| *d > Duration::from_secs(6)));
    }
}
