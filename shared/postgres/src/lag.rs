//! Measures the lag of a replica from the times at which its primary's positions were seen.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::lsn::Lsn;

/// Maximum number of positions that are stored. Beyond it, every second one is dropped.
const MOST: usize = 2_048;

/// Positions of the primary, each with the time when it was seen. Times are of this process's clock, which does not
/// depend on either server.
#[derive(Debug, Default)]
pub(crate) struct Lag {
    seen: VecDeque<(Instant, Lsn)>,
    first: Option<Lsn>,
    newest: Lsn,
    replayed: Option<Lsn>,
}

impl Lag {
    /// Records the position of the primary.
    pub(crate) fn wrote(&mut self, lsn: Lsn, now: Instant) {
        self.first.get_or_insert(lsn);
        if lsn <= self.newest {
            return;
        }
        self.newest = lsn;
        if self.seen.len() >= MOST {
            let mut keep = false;
            self.seen.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.seen.push_back((now, lsn));
    }

    /// Records the position of the replica.
    pub(crate) fn replayed(&mut self, lsn: Lsn) {
        self.replayed = Some(lsn);
        while self.seen.front().is_some_and(|(_, seen)| *seen <= lsn) {
            self.seen.pop_front();
        }
    }

    /// Returns whether the replica has not even replayed the first position that was seen.
    pub(crate) fn is_older_than_the_watch(&self) -> bool {
        matches!((self.replayed, self.first), (Some(replayed), Some(first)) if replayed < first)
    }

    /// Returns how long there has been something that the replica has not replayed.
    pub(crate) fn time(&self, now: Instant) -> Duration {
        self.seen
            .front()
            .map_or(Duration::ZERO, |(at, _)| now.saturating_duration_since(*at))
    }

    /// Returns the number of bytes that the replica has not replayed.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.replayed.map(|replayed| replayed.until(self.newest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lsn(low: u32) -> Lsn {
        Lsn::parse(&format!("0/{low:X}")).unwrap()
    }

    #[test]
    fn lag_is_the_age_of_the_oldest_place_that_was_not_replayed() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut lag = Lag::default();
        lag.wrote(lsn(100), start);
        lag.replayed(lsn(100));
        // On an idle primary, no standby lags.
        lag.wrote(lsn(100), start + second * 600);
        assert_eq!(
            (lag.time(start + second * 600), lag.bytes()),
            (Duration::ZERO, Some(0))
        );
        lag.wrote(lsn(200), start + second * 601);
        lag.wrote(lsn(300), start + second * 602);
        assert_eq!(lag.time(start + second * 604), second * 3);
        lag.replayed(lsn(250));
        assert_eq!(lag.time(start + second * 604), second * 2);
        assert_eq!(lag.bytes(), Some(50));
        assert!(!lag.is_older_than_the_watch());
    }

    #[test]
    fn a_replica_may_have_stopped_replaying_before_the_first_check() {
        let mut lag = Lag::default();
        lag.wrote(lsn(100), Instant::now());
        lag.replayed(lsn(50));
        assert!(lag.is_older_than_the_watch());
        lag.replayed(lsn(100));
        assert!(!lag.is_older_than_the_watch());
    }

    #[test]
    fn a_replica_that_stays_away_fills_no_memory() {
        let start = Instant::now();
        let mut lag = Lag::default();
        for n in 1..10_000 {
            lag.wrote(lsn(n), start + Duration::from_millis(u64::from(n)));
        }
        assert!(lag.seen.len() <= MOST);
        assert_eq!(
            lag.time(start + Duration::from_secs(11)),
            Duration::from_millis(10_999)
        );
    }
}
