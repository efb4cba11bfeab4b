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

/// A claimed job, as passed to its handler.
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

    /// Returns the fence that every write for this job must include.
    #[must_use]
    pub const fn claim(&self) -> ClaimRef {
        self.claimed.claim
    }

    /// Returns the queue that the job came from.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.claimed.queue
    }

    /// Returns the kind of work.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.claimed.kind
    }

    /// Returns the session or stage execution that the job is about.
    #[must_use]
    pub const fn subject(&self) -> Uuid {
        self.claimed.subject
    }

    /// Parses the payload as the type that the job's kind requires. If this fails, the handler returns
    /// [`Outcome::DeadLetter`].
    ///
    /// # Errors
    ///
    /// [`Error::Payload`].
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(&self.claimed.payload).map_err(Error::Payload)
    }

    /// Returns how often the job has failed before.
    #[must_use]
    pub const fn attempts(&self) -> i32 {
        self.claimed.attempts
    }

    /// Returns whether [`Outcome::Retry`] would make the job dead.
    #[must_use]
    pub const fn is_last_attempt(&self) -> bool {
        self.claimed.attempts + 1 >= self.claimed.max_attempts
    }

    /// Returns how many workers died or froze while running the job, for any reason.
    #[must_use]
    pub const fn crashes(&self) -> i32 {
        self.claimed.crashes
    }

    /// Returns whether the job has crashed as many workers as it may
    /// ([`WorkerBuilder::max_crashes`](crate::WorkerBuilder::max_crashes)). The handler must then fail it, not run it.
    #[must_use]
    pub fn is_poison(&self) -> bool {
        self.claimed.lone_crashes >= self.worker.settings.lone_crashes
    }

    /// Returns how often the job was snoozed.
    #[must_use]
    pub const fn snoozes(&self) -> i32 {
        self.claimed.snoozes
    }

    /// Returns the W3C trace context of the work that enqueued the job.
    #[must_use]
    pub fn traceparent(&self) -> Option<&str> {
        self.claimed.traceparent.as_deref()
    }

    /// Returns how long the job had been due when it was claimed, by the database's clock.
    #[must_use]
    pub const fn waited(&self) -> Duration {
        self.claimed.waited
    }

    /// Returns whether this worker offers all these requirements; see [`NewJob::requires`](crate::NewJob::requires).
    #[must_use]
    pub fn is_offered(&self, requires: &[String]) -> bool {
        self.worker.settings.offers(requires)
    }

    /// Creates a claim on a job of `queue` that becomes due when this one ends, to run it in the same slot.
    ///
    /// Returns `None` if this worker does not serve the queue or does not offer what the job `requires`. Also if it
    /// drains, can't renew its leases, must run one job alone, or its process has a [shortage](crate::note_shortage).
    #[must_use]
    pub fn preclaim(&self, queue: &str, requires: &[String]) -> Option<Preclaim> {
        Preclaim::new(&self.worker, queue, requires)
    }

    /// Does the same as [`preclaim`](Self::preclaim), for a job that runs in another slot that is free now. Use it if
    /// the end of this job makes several jobs due.
    #[must_use]
    pub fn preclaim_in_other_slot(&self, queue: &str, requires: &[String]) -> Option<Preclaim> {
        Preclaim::in_other_slot(&self.worker, queue, requires)
    }

    /// Does the same as [`preclaim`](Self::preclaim), for a queue that this worker does not serve. The handler must
    /// either know how to run the job or [release](Outcome::Release) it.
    #[must_use]
    pub fn preclaim_unserved(&self) -> Option<Preclaim> {
        Preclaim::of_any_queue(&self.worker)
    }

    /// Takes the data that the handler of the previous job in this slot prefetched ([`PreclaimedJob::prefetched`]), if
    /// it is a `T`. Later calls return `None`.
    ///
    /// [`PreclaimedJob::prefetched`]: crate::PreclaimedJob::prefetched
    pub fn take_prefetched<T: Send + Sync + 'static>(&mut self) -> Option<Arc<T>> {
        self.prefetched.take()?.downcast().ok()
    }

    /// Returns the signal that fires when the handler has to stop.
    #[must_use]
    pub const fn stop(&self) -> &StopSignal {
        &self.stop
    }
}

/// Any error that a handler reports.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Result of a handler's work on a job.
#[derive(Debug)]
pub enum Outcome {
    /// Done: the queue completes the job.
    Done,
    /// The handler has ended the claim in its own transaction ([`complete`](crate::complete) and similar functions),
    /// or found it lost. The queue does nothing more.
    Finished,
    /// Like [`Outcome::Finished`], but the slot goes to the next job, which was written under a [`Preclaim`]. More
    /// jobs may start in other slots.
    ContinueWith(ContinueWith),
    /// The job failed and may be tried again. This costs an attempt; the delay is exponential backoff with full
    /// jitter. After the last attempt the job is dead. If it failed because it got no database connection, it is tried
    /// again within a second, and not counted.
    Retry(BoxError),
    /// The job should run later, when at least this time has passed. Costs no attempt.
    Snooze(Duration),
    /// The job can't succeed. It becomes dead, for an operator to see.
    Cancel(BoxError),
    /// The kind or payload of the job can't be understood. It becomes dead, for an operator to see.
    DeadLetter(BoxError),
    /// Releases the job unchanged, for another worker to run at once.
    Release,
    /// Like [`Outcome::Release`], for a worker that offers these names. For a job that was enqueued without naming all
    /// its requirements.
    PassOn(Vec<String>),
}

/// A handler that runs jobs.
///
/// The queue delivers at least once. `handle` must tolerate a job that was delivered before, and must write only under
/// [`Job::claim`].
pub trait Handler: Send + Sync + 'static {
    /// Runs one job, in a separate task. A panic counts as [`Outcome::Retry`].
    ///
    /// When [`Job::stop`] fires, the handler must end soon. Its outcome still counts, with two exceptions: after
    /// [`StopCause::ClaimLost`](crate::StopCause::ClaimLost) and [`StopCause::Draining`](crate::StopCause::Draining),
    /// any outcome except [`Outcome::Done`], [`Outcome::Finished`] and [`Outcome::ContinueWith`] releases the job
    /// uncounted.
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
