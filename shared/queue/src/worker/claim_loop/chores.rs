//! Tasks of a poll besides claiming, so that no queue depends on a sweeper in another process.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

use crate::claim::promote;
use crate::cost_throttle::CostThrottle;
use crate::loop_clock::LoopClock;
use crate::sweep::{EXPIRY_SHARE, GRACE, Lost, free};
use crate::worker::shared::Shared;

/// Minimum time between two scans for expired leases of these queues.
const SWEEP: Duration = Duration::from_secs(1);

/// The chores of one claim loop: it makes due jobs ready, and frees jobs with an expired lease.
pub(super) struct Chores {
    clock: LoopClock,
    poll: Duration,
    throttle: CostThrottle,
}

impl Chores {
    pub(super) fn new(poll: Duration) -> Self {
        Self {
            clock: LoopClock::new(Instant::now()),
            poll,
            throttle: CostThrottle::new(EXPIRY_SHARE),
        }
    }

    pub(super) async fn run(
        &mut self,
        shared: &Shared,
        conn: &mut PgConnection,
    ) -> Result<(), sqlx::Error> {
        let queues = Some(shared.settings.queues.as_slice());
        let promoted = promote(&mut *conn, queues).await?;
        let mut freed = Vec::new();
        let now = Instant::now();
        if self.is_sweep_due(now) {
            freed = free(&mut *conn, Lost::Expired(queues)).await?;
            freed.iter().for_each(|_| tarsy_metrics::jobs::recovered());
            self.throttle.done(now);
        }
        // This worker claims right after this. Others may have free slots for the rest.
        let others = promoted
            .into_iter()
            .chain(freed.into_iter().map(|job| job.queue));
        others.for_each(|queue| shared.waker.wake_for_returned(&queue));
        Ok(())
    }

    /// Returns whether to scan for expired leases. Not in the first seconds of a connection: live workers then renew
    /// leases that expired while Postgres was away.
    fn is_sweep_due(&mut self, now: Instant) -> bool {
        self.clock.advance(self.poll, now);
        self.clock.elapsed() >= GRACE && self.throttle.is_due(SWEEP, now)
    }
}
