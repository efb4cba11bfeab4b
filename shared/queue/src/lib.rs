//! The queue: claims on work that the rows already show.
//!
//! A job is never the truth, only a claim on work: rows say what must be done, and a job
//! delivered twice, late or never changes nothing but the time. What the queue promises:
//!
//! * [`enqueue`] takes part in the caller's transaction; one live job per unique key.
//! * A [`Worker`] claims at most its free slots, in one statement for all its queues, by
//!   priority and then time, and runs each job in a task of its own (apalis' worker and tower
//!   layers over a backend of ours).
//! * Every claim is fenced by job, owner and epoch ([`ClaimRef`](tarsy_model::ClaimRef)) and
//!   leased by the database's clock. [`complete`], [`lock_claim`] and their siblings change nothing
//!   under a lost claim, in the caller's transaction.
//! * A job that requires something is left to workers that offer it ([`NewJob::requires`]).
//! * A job that a worker lacks the means for goes to one that has not tried it ([`hand_over`]). A process that runs into a
//!   limit of its machine claims nothing for a while ([`note_shortage`]).
//! * A handler may go on, in its slot, with the job that its end makes due ([`Preclaim`]).
//! * A [`Sweeper`] gives the jobs of dead processes to others within a few hundred
//!   milliseconds, those of frozen ones when their lease ends.
//! * Failing is a choice: [`Outcome`] has retry, snooze, cancel, dead-letter and release.
//!
//! A statement that fails is [`Error::Database`]. A function that fails in another way as well says so under *Errors*.
//!
//! Why not apalis-sql or apalis-postgres: `docs/decisions/0001-queue.md`.

mod backoff;
mod broadcast;
mod cancel;
mod claim;
mod connections;
mod cost_throttle;
mod dead;
mod deadline;
mod enqueue;
mod error;
mod hand_over;
mod loop_clock;
mod pause;
mod plans;
mod process;
mod registry;
mod settle;
mod shortage;
mod stats;
mod supervise;
mod sweep;
mod unschedulable;
mod wake;
mod worker;
mod worker_list;

pub use backoff::Backoff;
pub use broadcast::{LONGEST_BROADCAST, broadcast};
pub use cancel::{request_cancel, revoke, withdraw};
pub use connections::{ConnectionGuard, Connections, is_refusal};
pub use dead::{DeadFilter, DeadJob, discard_dead, has_job, list_dead, requeue_dead};
pub use deadline::{STATEMENT_DEADLINE, wary_pool, within, within_deadline};
pub(crate) use enqueue::PRIORITIES;
pub use enqueue::{DEFAULT_MAX_ATTEMPTS, Enqueued, NewJob, enqueue};
pub use error::Error;
pub use hand_over::hand_over;
pub use pause::{pause, resume};
pub use plans::steady_plans;
pub use process::{is_of_this_process, process_id, renamed, session_name};
pub use settle::{
    DeadReason, Retried, complete, dead_letter, lock_claim, lock_claims, release, retry, snooze,
};
pub use shortage::{current_shortage, note_shortage};
pub use stats::{QueueStats, queue_stats};
pub use supervise::supervise;
pub use sweep::Sweeper;
pub use unschedulable::{Unschedulable, note_unschedulable, unschedulable_of};
pub use wake::{EVENTS_CHANNEL, Waker};
pub use worker::{
    Advertised, BoxError, ContinueWith, Handler, Job, Outcome, Preclaim, PreclaimedJob, StopCause,
    StopSignal, Worker, WorkerBuilder,
};
pub use worker_list::{RunningJob, WorkerStats, list_workers, request_drain};
