//! What may happen next.

use tarsy_model::WaitDecision;

use crate::Shape;

/// One event; which of them are possible follows from the state. `hand` is one of the worker's jobs.
#[expect(missing_docs, reason = "the fields' names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// An alert is accepted.
    Accept {
        shape: Shape,
        /// The stage that kills every worker that runs it.
        poison: Option<u8>,
    },
    /// A worker takes a ready job.
    Claim { worker: u8, job: u16 },
    /// As [`Action::Claim`], but the reply never reaches the worker.
    ClaimUnheard { worker: u8, job: u16 },
    /// A worker makes its next move on one of its jobs.
    Move { worker: u8, hand: u8 },
    /// As [`Action::Move`], but the reply to its commit is lost, so that it must think that
    /// nothing was written.
    MoveUnheard { worker: u8, hand: u8 },
    /// A worker ends a stage and begins the one that this makes due, or decides what that is, under a claim of its own; or it
    /// starts what it found due, and holds it.
    GoOn { worker: u8, hand: u8 },
    /// As [`Action::GoOn`], but the reply to its commit is lost.
    GoOnUnheard { worker: u8, hand: u8 },
    /// The agent gives up.
    Fail { worker: u8, hand: u8 },
    /// A drain cuts a job short and gives it back.
    Release { worker: u8, hand: u8 },
    /// SIGKILL.
    Crash { worker: u8 },
    /// A new process in the place of a dead one.
    Restart { worker: u8 },
    /// SIGSTOP, or cut off from everything.
    Freeze { worker: u8 },
    /// SIGCONT.
    Thaw { worker: u8 },
    /// A lease runs out, whether or not its holder knows.
    Expire { job: u16 },
    /// A stage that is ready has waited for too long for a worker that can run it.
    Unschedule { job: u16 },
    /// The sweeper frees what dead processes hold.
    Sweep,
    /// A worker that connected again gives back what it does not know of.
    ReleaseStrays { worker: u8 },
    /// Postgres loses power: what was committed without waiting for the disk is gone.
    PowerLoss,
    /// A person cancels a session.
    Cancel { session: u8 },
    /// A person replays a stage of an ended session.
    Replay {
        session: u8,
        stage: u8,
        /// Which branch; all of them otherwise.
        branch: Option<u8>,
    },
    /// A person, or a signal, decides a wait.
    Decide { wait: u8, verdict: WaitDecision },
    /// A person deletes a job by hand.
    LoseJob { job: u16 },
    /// The repair sweep gives stranded sessions the job they lack.
    Repair,
}
