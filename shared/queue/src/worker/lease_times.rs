//! Times of a lease. All of them are derived from the longest outage that the lease survives.

use std::time::Duration;

/// Minimum patience. On a busy machine a renewal may take this long even if the connection works.
const LEAST_PATIENCE: Duration = Duration::from_millis(250);

/// A pause between two renewals that can occur on a busy machine.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Times of a worker's leases.
///
/// A lease survives an outage of Postgres, or of the network, as long as [`outage`](Self::outage). When the outage
/// begins, the last renewal may be as old as the pause between two renewals. After the outage, the first renewal needs
/// a new connection. Work stops only after that, and other workers take it over later still. In Postgres a lease runs
/// from the moment when it is renewed. The worker counts from the moment when it sent the renewal, which is earlier.
///
/// A lease of less than 3 s survives a shorter outage than that, because an answer may take a moment on a busy
/// machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeaseTimes(Duration);

impl LeaseTimes {
    /// Derives the times of leases that survive an outage of this length.
    pub(crate) const fn new(outage: Duration) -> Self {
        Self(outage)
    }

    /// Returns the longest outage that costs a worker nothing.
    pub(crate) const fn outage(self) -> Duration {
        self.0
    }

    /// Returns the time between two renewals.
    pub(crate) fn renewal(self) -> Duration {
        self.0 / 6
    }

    /// Returns the longest pause between two renewals over a working connection. A longer pause is an outage that
    /// other workers may share, so unanswered statements during it are not held against this worker.
    pub(crate) fn longest_pause(self) -> Duration {
        (self.0 / 3).max(LEAST_PAUSE)
    }

    /// Returns the time after which an unanswered renewal is tried over another connection. It is also the time
    /// between two attempts to connect.
    pub(crate) fn patience(self) -> Duration {
        (self.0 / 12).max(LEAST_PATIENCE)
    }

    /// Returns the time since the last renewal after which work must stop.
    pub(crate) fn stop(self) -> Duration {
        self.0 * 5 / 4
    }

    /// Returns the time after which Postgres lets other workers take a claim that was not renewed. The difference to
    /// [`stop`](Self::stop) is the time that work has to stop.
    pub(crate) fn expiry(self) -> Duration {
        self.0 * 4 / 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_outlasts_its_outage_and_work_stops_before_others_take_it() {
        for millis in [3_000, 10_000, 60_000] {
            let times = LeaseTimes::new(Duration::from_millis(millis));
            let answered_again = times.renewal() + times.outage() + times.patience();
            assert!(answered_again <= times.stop(), "{times:?}");
            assert!(
                times.stop() + times.patience() <= times.expiry(),
                "{times:?}"
            );
        }
    }
}
