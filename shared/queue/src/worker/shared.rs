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

/// Identity, claims and signals of one worker.
pub(crate) struct Shared {
    /// Id of this run of the worker, and owner of every claim made here. New with every start.
    pub(crate) owner: Uuid,
    pub(crate) lock_key: AtomicI64,
    pub(crate) settings: Settings,
    /// Connections for transactions of handlers and settlements. May go through PgBouncer.
    pub(crate) connections: Connections,
    pub(crate) waker: Waker,
    pub(crate) in_flight: InFlight,
    /// One permit for each job that may run at the same time.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) lease: Lease,
    /// Rings when there may be something to claim.
    pub(crate) bell: Arc<Bell>,
    /// Fires when the worker must claim no more, release jobs that have not started, and finish the rest.
    pub(crate) drain: CancellationToken,
    /// Fires when the grace period and the time to stop are over. Handlers that still run are dropped.
    pub(crate) kill: CancellationToken,
    /// Fires when no job is in flight any more. The lease connection is then closed.
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
    /// Returns whether work under the claims must stop, because the leases were not renewed for too long or writes of
    /// jobs don't succeed.
    pub(crate) fn is_stale(&self) -> bool {
        self.lease.is_stale() || self.is_cut_off()
    }

    /// Returns whether the statements of jobs no longer reach Postgres. This is so if none has succeeded for as long
    /// as a lease lasts, although some were tried and the lease was renewed all that time. Other workers may then
    /// reach Postgres where this process does not. An outage that all workers share does not count.
    pub(crate) fn is_cut_off(&self) -> bool {
        let unanswered = self.connections.unanswered_since();
        let both = unanswered.zip(self.lease.steady_since());
        both.is_some_and(|(unanswered, steady)| {
            unanswered.max(steady).elapsed() > self.settings.lease.outage()
        })
    }

    /// Returns the key of the advisory lock that shows that this process is alive.
    pub(crate) fn lock_key(&self) -> i64 {
        self.lock_key.load(Ordering::Relaxed)
    }

    /// Switches to another lock key.
    pub(crate) fn change_lock_key(&self) {
        self.lock_key.store(rand::random(), Ordering::Relaxed);
    }
}

/// A series of renewals without a gap.
#[derive(Clone, Copy)]
struct Renewals {
    first: Instant,
    last: Instant,
}

/// The time at which the leases of this worker were last known to be valid, by the monotonic clock.
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

    /// Records the success of a renewal that was *sent* at `at`. If two renewals overlap, the later one counts.
    pub(crate) fn renewed(&self, at: Instant) {
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = self.times.longest_pause();
        let continuing = renewed.filter(|r| at.saturating_duration_since(r.last) <= longest);
        *renewed = Some(Renewals {
            first: continuing.map_or(at, |r| r.first),
            last: renewed.map_or(at, |r| r.last.max(at)),
        });
    }

    /// Returns the time since which the leases have been renewed without a gap.
    fn steady_since(&self) -> Option<Instant> {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.map(|r| r.first)
    }

    /// Returns the time until work under the claims must stop, because other workers may take over soon after.
    pub(crate) fn time_left(&self) -> Duration {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        renewed.map_or(Duration::ZERO, |r| {
            self.times.stop().saturating_sub(r.last.elapsed())
        })
    }

    /// Returns whether that time is over.
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
        // No answer for 4 s, then one renewal, then no answer again.
        lease.renewed(start + at(9));
        lease.renewed(start + at(13));
        assert_eq!(lease.steady_since(), Some(start + at(13)));
    }
}
