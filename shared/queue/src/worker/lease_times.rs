//! Times of a lease, which all follow from the longest outage that it outlasts.

use std::time::Duration;

/// A renewal that takes this long on a busy machine is no sign of a silent connection.
const LEAST_PATIENCE: Duration = Duration::from_millis(250);

/// A pause between renewals that a busy machine may make.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Times of a worker's leases.
///
/// Postgres, or the way to it, may be silent for as long as [`outage`](Self::outage): the last renewal before it is as old
/// as the pause between two, and the first one after it needs a new connection. Only then does work stop, and others take
/// it over after that. A lease runs from the moment in which Postgres renews it. A worker counts from the moment in which it
/// sent that renewal, which is earlier.
///
/// A lease of less than 3 s outlasts less than that: a busy machine may need a moment for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeaseTimes(Duration);

impl LeaseTimes {
    /// Times of leases that outlast an outage of this length.
    pub(crate) const fn new(outage: Duration) -> Self {
        Self(outage)
    }

    /// Longest outage that costs a worker nothing.
    pub(crate) const fn outage(self) -> Duration {
        self.0
    }

    /// Time between two renewals.
    pub(crate) fn renewal(self) -> Duration {
        self.0 / 6
    }

    /// Longest pause between two renewals of a connection that works. A longer one is an outage, which other workers may
    /// share: what was not answered in it says nothing about this worker.
    pub(crate) fn longest_pause(self) -> Duration {
        (self.0 / 3).max(LEAST_PAUSE)
    }

    /// Time after which a renewal without an answer is tried over another connection, and time between two attempts to
    /// connect.
    pub(crate) fn patience(self) -> Duration {
        (self.0 / 12).max(LEAST_PATIENCE)
    }

    /// Time since the last renewal after which work must stop.
    pub(crate) fn stop(self) -> Duration {
        self.0 * 5 / 4
    }

    /// Time after which Postgres lets others take a claim that was not renewed. Work that was told to stop has the
    /// difference to do so.
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
