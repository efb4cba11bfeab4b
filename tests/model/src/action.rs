//! Events that can happen in the model.

use tarsy_model::WaitDecision;

use crate::Shape;

/// One event. The state determines which events are possible. `hand` is the index of one of the worker's jobs.
#[expect(missing_docs, reason = "the fields' names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// An alert is accepted.
    Accept {
        shape: Shape,
        /// Stage that kills every worker that runs it.
        poison: Option<u8>,
    },
    /// A worker takes a ready job.
    Claim { worker: u8, job: u16 },
    /// Like [`Action::Claim`], but the reply never reaches the worker.
    ClaimUnacknowledged { worker: u8, job: u16 },
    /// A worker makes its next step on one of its jobs.
    Move { worker: u8, hand: u8 },
    /// Like [`Action::Move`], but the reply to its commit is lost, so that the worker must assume that nothing was
    /// written.
    MoveUnacknowledged { worker: u8, hand: u8 },
    /// A worker ends a stage and continues under a new claim: it begins the stage that this makes due, or decides which
    /// stage that is. Or it starts the stages that it found due, and holds them.
    GoOn { worker: u8, hand: u8 },
    /// Like [`Action::GoOn`], but the reply to its commit is lost.
    GoOnUnacknowledged { worker: u8, hand: u8 },
    /// The agent gives up.
    Fail { worker: u8, hand: u8 },
    /// A drain interrupts a job and gives it back.
    Release { worker: u8, hand: u8 },
    /// SIGKILL of a worker.
    Crash { worker: u8 },
    /// A new process replaces a dead one.
    Restart { worker: u8 },
    /// SIGSTOP, or a network partition.
    Freeze { worker: u8 },
    /// SIGCONT.
    Thaw { worker: u8 },
    /// A lease expires, whether or not its holder knows.
    Expire { job: u16 },
    /// A ready stage has waited too long for a worker that can run it.
    Unschedule { job: u16 },
    /// The sweeper frees the jobs that dead processes hold.
    Sweep,
    /// A worker that reconnected gives back the jobs that it does not know.
    ReleaseStrays { worker: u8 },
    /// Postgres loses power. Commits that did not wait for the disk are lost.
    PowerLoss,
    /// A person cancels a session.
    Cancel { session: u8 },
    /// A person replays a stage of an ended session.
    Replay {
        session: u8,
        stage: u8,
        /// Branch to replay; `None`: all branches.
        branch: Option<u8>,
    },
    /// A person, or a signal, decides a wait.
    Decide { wait: u8, verdict: WaitDecision },
    /// A person deletes a job manually.
    LoseJob { job: u16 },
    /// The repair sweep gives stranded sessions their missing job.
    Repair,
}
