//! State that the parts of one worker share.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Connections;
use crate::wake::{Bell, Waker};
use crate::worker::builder::Settings;
use crate::worker::health::Health;
use crate::worker::in_flight::InFlight;
use crate::worker::lease_times::LeaseTimes;

/// One worker's identity, claims and signals.
pub(crate) struct Shared {
    /// The process incarnation: owner of every claim made here, new with every start.
    pub(crate) owner: Uuid,
    pub(crate) lock_key: AtomicI64,
    pub(crate) settings: Settings,
    /// Transactions of handlers and settlements; may go through PgBouncer.
    pub(crate) connections: Connections,
    pub(crate) waker: Waker,
    pub(crate) in_flight: InFlight,
    /// One permit for each job that may run at the same time.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) lease: Lease,
    /// "There may be something to claim."
    pub(crate) bell: Arc<Bell>,
    /// Claim no more, give back what has not started, finish the rest.
    pub(crate) drain: CancellationToken,
    /// The grace period and the time to stop are over: drop what still runs.
    pub(crate) kill: CancellationToken,
    /// Nothing is in flight any more: let go of the lease connection.
    pub(crate) done: CancellationToken,
    pub(crate) health: Health,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Whether work under the claims must stop: the leases were not renewed for too long, or what jobs write
    /// does not get through.
    pub(crate) fn is_stale(&self) -> bool {
        self.lease.is_stale() || self.is_cut_off()
    }

    /// Whether no statement of a job got through for as long as a lease lasts, though some were tried and the
    /// lease was renewed all the while: others may reach Postgres where this process does not. An outage that
    /// all share is not meant.
    pub(crate) fn is_cut_off(&self) -> bool {
        let unanswered = self.connections.unanswered_since();
        let both = unanswered.zip(self.lease.steady_since());
        both.is_some_and(|(unanswered, steady)| {
            unanswered.max(steady).elapsed() > self.settings.lease.outage()
        })
    }

    /// Advisory lock that shows this process lives.
    pub(crate) fn lock_key(&self) -> i64 {
        self.lock_key.load(Ordering::Relaxed)
    }

    /// Use another from now on.
    pub(crate) fn change_lock_key(&self) {
        self.lock_key.store(rand::random(), Ordering::Relaxed);
    }
}

/// Renewals that followed one another without a gap.
#[derive(Clone, Copy)]
struct Renewals {
    first: Instant,
    last: Instant,
}

/// When the leases of this process were last known to be good, by the monotonic clock.
pub(crate) struct Lease {
    times: LeaseTimes,
    /// `None` until the process is registered.
    renewed: Mutex<Option<Renewals>>,
}

impl Lease {
    pub(crate) fn new(times: LeaseTimes) -> Self {
        Self {
            times,
            renewed: Mutex::new(None),
        }
    }

    /// A renewal that was *sent* at `at` succeeded. Of two that were under way at the same time the later one counts.
    pub(crate) fn renewed(&self, at: Instant) {
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = self.times.longest_pause();
        let goes_on = renewed.filter(|r| at.saturating_duration_since(r.last) <= longest);
        *renewed = Some(Renewals {
            first: goes_on.map_or(at, |r| r.first),
            last: renewed.map_or(at, |r| r.last.max(at)),
        });
    }

    /// Since when they have been renewed without a gap.
    fn steady_since(&self) -> Option<Instant> {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.map(|r| r.first)
    }

    /// Time until others may take over soon, so that work under the claims must stop.
    pub(crate) fn time_left(&self) -> Duration {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.map_or(Duration::ZERO, |r| {
            self.times.stop().saturating_sub(r.last.elapsed())
        })
    }

    /// Whether that time is over.
    pub(crate) fn is_stale(&self) -> bool {
        self.time_left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_that_others_may_share_is_not_counted_against_this_worker() {
        let lease = Lease::new(LeaseTimes::new(Duration::from_secs(10)));
        let at = |seconds| Duration::from_secs(seconds);
        let start = Instant::now();
        for seconds in [0, 2, 5] {
            lease.renewed(start + at(seconds));
        }
        assert_eq!(lease.steady_since(), Some(start));
        // Silent for 4 s, then one renewal, then silent again.
        lease.renewed(start + at(9));
        lease.renewed(start + at(13));
        assert_eq!(lease.steady_since(), Some(start + at(13)));
    }
}
