//! Preclaims: claims on the job that the end of another makes due, so that it runs in the same slot
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

/// Epoch of a job that is held from its first moment.
const FIRST: i64 = 1;

/// A claim on the job that the end of another makes due.
///
/// The transaction that ends the job writes the next one as `running`, held by
/// [`claim`](Self::claim) for [`lease`](Self::lease); then [`continue_with`](Self::continue_with) is what its handler
/// answers. If it wrote none, or one for anybody, [`unused`](Self::unused) says so. A claim that is
/// merely dropped may have been written: its job is looked for, and given back.
#[derive(Debug)]
pub struct Preclaim {
    worker: Arc<Shared>,
    claim: ClaimRef,
    /// `None`: the job runs in the slot of the one that ends.
    slot: Option<OwnedSemaphorePermit>,
    is_resolved: bool,
}

/// A job that its transaction wrote as held by a [`Preclaim`].
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug)]
pub struct PreclaimedJob {
    pub queue: String,
    pub kind: String,
    pub subject: Uuid,
    pub priority: i16,
    /// W3C trace context of the work that queued it.
    pub traceparent: Option<String>,
    /// Data that its handler need not read again; see [`Job::take_prefetched`](crate::Job::take_prefetched).
    pub prefetched: Option<Arc<dyn Any + Send + Sync>>,
}

/// Jobs that run next: one in the slot of the job that has ended, others in free slots.
#[derive(Debug)]
pub struct ContinueWith {
    pub(crate) preclaim: Preclaim,
    pub(crate) claimed: Box<Claimed>,
    pub(crate) prefetched: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) beside: Vec<Self>,
}

impl Preclaim {
    /// A claim for `worker`, unless it serves no such queue, does not offer what is required, drains, could not
    /// renew it, runs one job alone, or its process is [short of something](crate::note_shortage).
    pub(crate) fn new(worker: &Arc<Shared>, queue: &str, requires: &[String]) -> Option<Self> {
        let settings = &worker.settings;
        let serves = settings.queues.iter().any(|q| q == queue) && settings.offers(requires);
        serves.then(|| Self::of_any_queue(worker)).flatten()
    }

    /// As [`new`](Self::new), for a job that takes a slot of its own; `None` also if none is free.
    pub(crate) fn beside(worker: &Arc<Shared>, queue: &str, requires: &[String]) -> Option<Self> {
        let slot = Arc::clone(&worker.slots).try_acquire_owned().ok()?;
        let mut preclaim = Self::new(worker, queue, requires)?;
        preclaim.slot = Some(slot);
        Some(preclaim)
    }

    /// As [`new`](Self::new), for a job that requires nothing, whatever queues the worker serves.
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

    /// Id, owner and epoch of the job's row.
    #[must_use]
    pub const fn claim(&self) -> ClaimRef {
        self.claim
    }

    /// How long the claim lasts without renewal, from the moment it is written.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.worker.settings.lease.expiry()
    }

    /// Continues with the job, which was written under this claim.
    #[must_use]
    pub fn continue_with(self, job: PreclaimedJob) -> Outcome {
        Outcome::ContinueWith(self.next(job))
    }

    /// Continues with jobs that were written under their claims; without any the slot is free.
    #[must_use]
    pub fn continue_with_all(jobs: impl IntoIterator<Item = (Self, PreclaimedJob)>) -> Outcome {
        let mut jobs = jobs.into_iter().map(|(preclaim, job)| preclaim.next(job));
        let Some(mut first) = jobs.next() else {
            return Outcome::Finished;
        };
        first.beside = jobs.collect();
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
            beside: Vec::new(),
        }
    }

    /// The slot that its job takes next to others.
    pub(crate) fn take_slot(&mut self) -> Option<OwnedSemaphorePermit> {
        self.slot.take()
    }

    /// Gives the claim up: no job was written under it.
    pub fn unused(mut self) {
        self.resolve();
    }

    /// Nothing must be looked for: the claim is among those in flight, or was never written.
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
