//! Preclaims: a claim on the job that becomes due when another one ends, so that it runs in the same slot
//! (docs/decisions/0010-a-worker-goes-on-with-its-chain.md).

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use tarsy_model::ClaimRef;
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use crate::DEFAULT_MAX_ATTEMPTS;
use crate::claim::Claimed;
use crate::shortage::current_shortage;
use crate::worker::job::Outcome;
use crate::worker::shared::Shared;

/// Epoch of a job that is claimed from the moment it is inserted.
const FIRST: i64 = 1;

/// A claim on the job that becomes due when another one ends.
///
/// The transaction that ends the first job inserts the next one as `running`, held by [`claim`](Self::claim) for
/// [`lease`](Self::lease). The handler of the first job then returns [`continue_with`](Self::continue_with). If the
/// transaction inserted no job, or one that is not claimed, the handler calls [`unused`](Self::unused). If a preclaim
/// is dropped without either, its job may have been written: the worker searches for it and releases it.
#[derive(Debug)]
pub struct Preclaim {
    worker: Arc<Shared>,
    claim: ClaimRef,
    /// `None`: the job runs in the slot of the one that ends.
    slot: Option<OwnedSemaphorePermit>,
    is_resolved: bool,
}

/// A job that was written as held by a [`Preclaim`].
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug)]
pub struct PreclaimedJob {
    pub queue: String,
    pub kind: String,
    pub subject: Uuid,
    pub priority: i16,
    /// W3C trace context of the work that enqueued the job.
    pub traceparent: Option<String>,
    /// Data that the job's handler need not read again; see [`Job::take_prefetched`](crate::Job::take_prefetched).
    pub prefetched: Option<Arc<dyn Any + Send + Sync>>,
}

/// Jobs that run next: one in the slot of the job that ended, the others in free slots.
#[derive(Debug)]
pub struct ContinueWith {
    pub(crate) preclaim: Preclaim,
    pub(crate) claimed: Box<Claimed>,
    pub(crate) prefetched: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) others: Vec<Self>,
}

impl Preclaim {
    /// Creates a claim for `worker`. Returns `None` if the worker does not serve the queue or does not offer the
    /// requirements. Also if it drains, can't renew its leases, runs one job alone, or its process has a
    /// [shortage](crate::note_shortage).
    pub(crate) fn new(worker: &Arc<Shared>, queue: &str, requires: &[String]) -> Option<Self> {
        let settings = &worker.settings;
        let serves = settings.queues.iter().any(|q| q == queue) && settings.offers(requires);
        serves.then(|| Self::of_any_queue(worker)).flatten()
    }

    /// Does the same as [`new`](Self::new), for a job that takes another slot. Also returns `None` if no slot is free.
    pub(crate) fn in_other_slot(
        worker: &Arc<Shared>,
        queue: &str,
        requires: &[String],
    ) -> Option<Self> {
        let slot = Arc::clone(&worker.slots).try_acquire_owned().ok()?;
        let mut preclaim = Self::new(worker, queue, requires)?;
        preclaim.slot = Some(slot);
        Some(preclaim)
    }

    /// Does the same as [`new`](Self::new), for a job that requires nothing, even if the worker does not serve its
    /// queue.
    pub(crate) fn of_any_queue(worker: &Arc<Shared>) -> Option<Self> {
        let isolating = worker.in_flight.is_isolating();
        let is_short = current_shortage().is_some();
        if isolating || is_short || worker.drain.is_cancelled() || worker.is_stale() {
            return None;
        }
        let claim = ClaimRef {
            job_id: Uuid::now_v7(),
            owner: worker.owner,
            epoch: FIRST,
        };
        worker.in_flight.expect(claim.job_id);
        Some(Self {
            worker: Arc::clone(worker),
            claim,
            slot: None,
            is_resolved: false,
        })
    }

    /// Returns the id, owner and epoch for the job's row.
    #[must_use]
    pub const fn claim(&self) -> ClaimRef {
        self.claim
    }

    /// Returns how long the claim lasts without a renewal, from the moment it is written.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.worker.settings.lease.expiry()
    }

    /// Returns the outcome that continues with the job, which was written under this claim.
    #[must_use]
    pub fn continue_with(self, job: PreclaimedJob) -> Outcome {
        Outcome::ContinueWith(self.next(job))
    }

    /// Returns the outcome that continues with these jobs, which were written under their claims. Without jobs, the
    /// slot becomes free.
    #[must_use]
    pub fn continue_with_all(jobs: impl IntoIterator<Item = (Self, PreclaimedJob)>) -> Outcome {
        let mut jobs = jobs.into_iter().map(|(preclaim, job)| preclaim.next(job));
        let Some(mut first) = jobs.next() else {
            return Outcome::Finished;
        };
        first.others = jobs.collect();
        Outcome::ContinueWith(first)
    }

    fn next(self, job: PreclaimedJob) -> ContinueWith {
        let claimed = Claimed {
            claim: self.claim,
            queue: job.queue,
            kind: job.kind,
            subject: job.subject,
            payload: "null".to_owned(),
            attempts: 0,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
            crashes: 0,
            lone_crashes: 0,
            isolated: false,
            snoozes: 0,
            traceparent: job.traceparent,
            waited: Duration::ZERO,
            priority: job.priority,
            rank_us: 0,
        };
        ContinueWith {
            preclaim: self,
            claimed: Box::new(claimed),
            prefetched: job.prefetched,
            others: Vec::new(),
        }
    }

    /// Takes the additional slot of the job, if it has one.
    pub(crate) fn take_slot(&mut self) -> Option<OwnedSemaphorePermit> {
        self.slot.take()
    }

    /// Gives the claim up because no job was written under it.
    pub fn unused(mut self) {
        self.resolve();
    }

    /// Records that no search for the job is needed: its claim is in flight, or it was never written.
    pub(crate) fn resolve(&mut self) {
        self.worker.in_flight.expect_no_more(self.claim.job_id);
        self.is_resolved = true;
    }
}

impl Drop for Preclaim {
    fn drop(&mut self) {
        if !self.is_resolved {
            self.worker.in_flight.miss(self.claim.job_id);
            self.worker.bell.ring();
        }
    }
}
