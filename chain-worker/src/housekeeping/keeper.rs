//! Performs the duties. Each has a separate loop with a time limit per step.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use tarsy_config::AlertMasker;
use tarsy_model::chain_queue;
use tarsy_queue::{Waker, within};
use tokio::sync::watch;
use uuid::Uuid;

use super::duty::{Duty, Step, Work};
use super::{
    BackgroundThrottle, fail_unschedulable, hourly_rollups, incidents, prune, repair, schedule,
    scores, search, session_rollups, traits, usage,
};
use crate::Error;
use crate::setup::ChainSetup;

/// The tools of the duties, and their progress.
pub(super) struct Keeper<'a> {
    pub(super) pool: &'a PgPool,
    pub(super) waker: &'a Waker,
    pub(super) setup: &'a watch::Receiver<Arc<ChainSetup>>,
    pub(super) schedule_timeout: Duration,
    pub(super) throttle: &'a BackgroundThrottle,
    /// Start time, in Unix microseconds, up to which sessions were checked for repair.
    pub(super) repaired_until: AtomicI64,
    /// The last session whose search document was checked.
    pub(super) rewritten_until: Mutex<Uuid>,
}

impl Keeper<'_> {
    /// Performs a duty forever.
    pub(super) async fn perform(&self, duty: &Duty) {
        pause(duty.first).await;
        loop {
            let batch = self.throttle.start_batch();
            let step = within(duty.deadline, self.step(duty.work)).await;
            if matches!(step, Ok(Step::Done | Step::DoneFor(_) | Step::More)) {
                tarsy_metrics::housekeeping::succeeded(duty.name);
            }
            match step {
                Ok(Step::More) => batch.pause().await,
                Ok(Step::DoneFor(time)) => pause(time).await,
                Ok(Step::Done) => pause(duty.every).await,
                Ok(Step::TakenElsewhere) => pause(duty.retry()).await,
                Err(error) => {
                    tracing::warn!(duty = duty.name, ?error, "housekeeping failed; retrying");
                    pause(duty.retry()).await;
                }
            }
        }
    }

    async fn step(&self, work: Work) -> Result<Step, Error> {
        let (pool, setup) = (self.pool, self.setup);
        match work {
            Work::Repair => self.repair().await,
            Work::Index => search::index(pool, &masker_of(setup)).await,
            Work::IndexLate => search::index_late(pool, &masker_of(setup)).await,
            Work::RewriteDocuments => self.rewrite_documents().await,
            Work::RollUpSessions => session_rollups::roll_up(pool).await,
            Work::WriteTraits => traits::write_new(pool).await,
            Work::WriteLateTraits => traits::write_late(pool).await,
            Work::GroupIncidents => incidents::group(pool).await,
            Work::GroupLateSessions => incidents::group_late(pool).await,
            Work::CountUsage => usage::count(pool).await,
            Work::CountLateUsage => usage::count_late(pool).await,
            Work::ScoreSessions => scores::score(pool).await,
            Work::RollUpHours => hourly_rollups::roll_up(pool).await,
            Work::Prune => self.prune().await,
            Work::FailUnschedulable => self.fail_unschedulable().await,
        }
    }

    async fn repair(&self) -> Result<Step, Error> {
        let after = self.repaired_until.load(Ordering::Relaxed);
        let (repaired, next) = repair(self.pool, after).await?;
        self.repaired_until
            .store(next.unwrap_or(0), Ordering::Relaxed);
        if repaired > 0 {
            tracing::warn!(
                repaired,
                "enqueued missing jobs of live sessions; rows may have been changed by hand"
            );
            self.waker.wake(chain_queue());
        }
        Ok(Step::Done)
    }

    async fn rewrite_documents(&self) -> Result<Step, Error> {
        let after = *self.rewritten();
        let masker = masker_of(self.setup);
        let (step, next) = search::rewrite_outdated(self.pool, &masker, after).await?;
        *self.rewritten() = next;
        Ok(step)
    }

    async fn prune(&self) -> Result<Step, Error> {
        let policy = self.setup.borrow().retention;
        let pruned = prune(self.pool, &policy).await?;
        if pruned > 0 {
            tracing::info!(pruned, "deleted expired rows");
        }
        Ok(Step::Done)
    }

    async fn fail_unschedulable(&self) -> Result<Step, Error> {
        let started = Instant::now();
        let failed = fail_unschedulable(self.pool, self.schedule_timeout).await?;
        if failed > 0 {
            tracing::warn!(
                failed,
                "failed stages that no worker could run within their schedule timeout"
            );
            self.waker.wake(chain_queue());
            self.waker.wake_watchers();
        }
        Ok(Step::DoneFor(schedule::pause_after(started)))
    }

    fn rewritten(&self) -> std::sync::MutexGuard<'_, Uuid> {
        self.rewritten_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the masker of the current configuration.
fn masker_of(setup: &watch::Receiver<Arc<ChainSetup>>) -> AlertMasker {
    setup.borrow().masker.clone()
}

/// Sleeps with jitter, so that several workers don't run at the same time.
async fn pause(time: Duration) {
    tokio::time::sleep(time.mul_f64(rand::random_range(0.7..=1.3))).await;
}
