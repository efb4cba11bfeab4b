//! The handler trait, its jobs and outcomes.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tarsy_model::ClaimRef;
use uuid::Uuid;

use crate::Error;
use crate::claim::Claimed;
use crate::worker::claim_loop::Delivery;
use crate::worker::preclaim::{ContinueWith, Preclaim};
use crate::worker::shared::Shared;
use crate::worker::stop::StopSignal;

/// A claimed job, as its handler sees it.
#[derive(Debug, Clone)]
pub struct Job {
    claimed: Claimed,
    stop: StopSignal,
    prefetched: Option<Arc<dyn Any + Send + Sync>>,
    worker: Arc<Shared>,
}

impl Job {
    pub(crate) fn new(delivery: Delivery, worker: Arc<Shared>) -> Self {
        Self {
            claimed: delivery.claimed,
            stop: delivery.stop,
            prefetched: delivery.prefetched,
            worker,
        }
    }

    /// The fence that every write made for this job must show.
    #[must_use]
    pub const fn claim(&self) -> ClaimRef {
        self.claimed.claim
    }

    /// The queue it came from.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.claimed.queue
    }

    /// What to do.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.claimed.kind
    }

    /// The session or stage execution it is about.
    #[must_use]
    pub const fn subject(&self) -> Uuid {
        self.claimed.subject
    }

    /// The payload as the type its kind asks for. A handler answers a failure with
    /// [`Outcome::DeadLetter`].
    ///
    /// # Errors
    ///
    /// [`Error::Payload`].
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.claimed.payload).map_err(Error::Payload)
    }

    /// How often it failed before.
    #[must_use]
    pub const fn attempts(&self) -> i32 {
        self.claimed.attempts
    }

    /// Whether [`Outcome::Retry`] would end it.
    #[must_use]
    pub const fn is_last_attempt(&self) -> bool {
        self.claimed.attempts + 1 >= self.claimed.max_attempts
    }

    /// How many workers died or froze while running it, for whatever reason.
    #[must_use]
    pub const fn crashes(&self) -> i32 {
        self.claimed.crashes
    }

    /// Whether it ended as many workers as it may ([`WorkerBuilder::max_crashes`](crate::WorkerBuilder::max_crashes)): it
    /// must be failed, not run.
    #[must_use]
    pub fn is_poison(&self) -> bool {
        self.claimed.lone_crashes >= self.worker.settings.lone_crashes
    }

    /// How often it was snoozed.
    #[must_use]
    pub const fn snoozes(&self) -> i32 {
        self.claimed.snoozes
    }

    /// W3C trace context of the work that queued it.
    #[must_use]
    pub fn traceparent(&self) -> Option<&str> {
        self.claimed.traceparent.as_deref()
    }

    /// How long it had been due when it was claimed, by the database's clock.
    #[must_use]
    pub const fn waited(&self) -> Duration {
        self.claimed.waited
    }

    /// Whether this worker offers all that is required; see [`NewJob::requires`](crate::NewJob::requires).
    #[must_use]
    pub fn is_offered(&self, requires: &[String]) -> bool {
        self.worker.settings.offers(requires)
    }

    /// A claim on the job of `queue` that the end of this one makes due, to run it in this one's slot.
    /// `None` when this worker serves no such queue, does not offer what the job `requires`, drains, can't renew its
    /// leases, or is to run one job alone.
    #[must_use]
    pub fn preclaim(&self, queue: &str, requires: &[String]) -> Option<Preclaim> {
        Preclaim::new(&self.worker, queue, requires)
    }

    /// As [`preclaim`](Self::preclaim), to run the job next to the others that this one's end makes due, in a slot that is free now.
    #[must_use]
    pub fn preclaim_beside(&self, queue: &str, requires: &[String]) -> Option<Preclaim> {
        Preclaim::beside(&self.worker, queue, requires)
    }

    /// As [`preclaim`](Self::preclaim), of a queue that this worker does not serve: the handler knows what to do with the job, or
    /// [releases](Outcome::Release) it.
    #[must_use]
    pub fn preclaim_unserved(&self) -> Option<Preclaim> {
        Preclaim::of_any_queue(&self.worker)
    }

    /// Data that the handler of the previous job in its slot prefetched ([`PreclaimedJob::prefetched`]), if it is a
    /// `T`; once.
    ///
    /// [`PreclaimedJob::prefetched`]: crate::PreclaimedJob::prefetched
    pub fn take_prefetched<T: Send + Sync + 'static>(&mut self) -> Option<Arc<T>> {
        self.prefetched.take()?.downcast().ok()
    }

    /// Fires when the handler has to stop.
    #[must_use]
    pub const fn stop(&self) -> &StopSignal {
        &self.stop
    }
}

/// Any error a handler reports.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// How a handler's work on a job ended.
#[derive(Debug)]
pub enum Outcome {
    /// Done: the queue completes the job.
    Done,
    /// The handler has ended the claim in its own transaction ([`complete`](crate::complete)
    /// and its siblings), or found it lost; nothing is left to do.
    Finished,
    /// As [`Outcome::Finished`], and the slot goes to the job that was made due under a
    /// [`Preclaim`]; others may run at the same time.
    ContinueWith(ContinueWith),
    /// It failed and may be tried again: costs an attempt, exponential backoff with full
    /// jitter; the last attempt makes it dead. For want of a connection it is tried again within a
    /// second, uncounted.
    Retry(BoxError),
    /// Not now: runs again when at least this long has passed; costs no attempt.
    Snooze(Duration),
    /// It can't succeed: dead, for an operator to see.
    Cancel(BoxError),
    /// Its kind or payload can't be understood: dead, for an operator to see.
    DeadLetter(BoxError),
    /// Give it back untouched, for another worker to run at once.
    Release,
    /// As [`Outcome::Release`], for a worker that offers this: a job that was queued without saying what it
    /// requires.
    PassOn(Vec<String>),
}

/// Runs jobs.
///
/// The queue delivers at least once: `handle` must tolerate a job that was delivered
/// before, and write only under [`Job::claim`].
pub trait Handler: Send + Sync + 'static {
    /// Run one job. Called in a task of its own; a panic counts as [`Outcome::Retry`].
    ///
    /// A handler whose [`Job::stop`] fires ends soon. What it answers then still counts,
    /// except after [`StopCause::ClaimLost`](crate::StopCause::ClaimLost) and
    /// [`StopCause::Draining`](crate::StopCause::Draining), where anything but
    /// [`Outcome::Done`], [`Outcome::Finished`] and [`Outcome::ContinueWith`] gives the job back uncounted.
    fn handle(&self, job: Job) -> impl Future<Output = Outcome> + Send;
}

impl<F, Fut> Handler for F
where
    F: Fn(Job) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send,
{
    fn handle(&self, job: Job) -> impl Future<Output = Outcome> + Send {
        self(job)
    }
}
