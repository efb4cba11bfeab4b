//! A token bucket (the generic cell rate algorithm: one instant is its whole state).

use std::time::{Duration, Instant};

/// Refill rate and capacity of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// Average time between two tokens.
    pub(super) interval: Duration,
    /// Tokens in a full bucket; at least 1.
    pub(super) burst: u32,
}

impl Rate {
    pub(super) fn new(per_second: u32, burst: u32) -> Self {
        Self {
            interval: Duration::from_secs(1) / per_second,
            burst,
        }
    }
}

/// State of a bucket: the time at which it is full again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    full_at: Instant,
}

impl Bucket {
    pub(super) const fn full(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes a token. Fails with the time until the next token if there is none.
    pub(super) fn take(&mut self, rate: Rate, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + rate.interval;
        let capacity = rate.interval * rate.burst.max(1);
        let missing = full_at.duration_since(now);
        if missing > capacity {
            return Err(missing - capacity);
        }
        self.full_at = full_at;
        Ok(())
    }

    /// Returns whether the bucket is full. A full bucket holds no information, so it can be dropped.
    pub(super) fn is_full(self, now: Instant) -> bool {
        self.full_at <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        interval: Duration::from_millis(100),
        burst: 3,
    };

    #[test]
    fn a_full_bucket_gives_its_burst_and_then_one_an_interval() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for _ in 0..3 {
            assert_eq!(bucket.take(RATE, start), Ok(()));
        }
        assert_eq!(bucket.take(RATE, start), Err(RATE.interval));
        let later = start + Duration::from_millis(40);
        assert_eq!(bucket.take(RATE, later), Err(Duration::from_millis(60)));
        assert_eq!(bucket.take(RATE, start + RATE.interval), Ok(()));
        assert!(bucket.take(RATE, start + RATE.interval).is_err());
    }

    #[test]
    fn a_pause_fills_it_and_no_more() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        assert_eq!(bucket.take(RATE, start), Ok(()));
        assert!(!bucket.is_full(start));
        let later = start + Duration::from_secs(3600);
        assert!(bucket.is_full(later));
        let taken = (0..10).filter(|_| bucket.take(RATE, later).is_ok()).count();
        assert_eq!(taken, 3);
    }
}
