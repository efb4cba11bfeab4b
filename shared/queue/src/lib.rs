//! Job queue in Postgres. A job is a claim on work that domain rows already describe.
//!
//! The rows are the source of truth about what must be done. If a job is delivered twice, late or never, only the
//! timing changes. Guarantees:
//!
//! * [`enqueue`] takes part in the caller's transaction. At most one live job exists per unique key.
//! * A [`Worker`] claims at most as many jobs as it has free slots, in one statement for all its queues, by priority
//!   and then by time. It runs each job in a separate task (apalis' worker and tower layers over the backend in this
//!   crate).
//! * Every claim is fenced by job, owner and epoch ([`ClaimRef`](tarsy_model::ClaimRef)) and leased by the database's
//!   clock. [`complete`], [`lock_claim`] and similar functions run in the caller's transaction. They change nothing if
//!   the claim is lost.
//! * A job with requirements runs only on workers that offer them ([`NewJob::requires`]).
//! * A worker that lacks the means for a job hands it over to one that has not tried it ([`hand_over`]). A process
//!   that runs into a limit of its machine stops claiming for a while ([`note_shortage`]).
//! * A handler can continue, in the same slot, with the job that becomes due when its own job ends ([`Preclaim`]).
//! * A [`Sweeper`] frees the jobs of dead processes within a few hundred milliseconds, and those of frozen processes
//!   when their lease expires.
//! * The handler chooses how a job fails: [`Outcome`] has retry, snooze, cancel, dead-letter and release.
//!
//! A failed statement is reported as [`Error::Database`]. A function that can also fail in other ways lists them under
//! *Errors*.
//!
//! `docs/decisions/0001-queue.md` explains why this is not apalis-sql or apalis-postgres.

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
