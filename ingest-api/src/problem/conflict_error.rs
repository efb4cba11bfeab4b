//! Conflicts of operator actions with the current state.

use serde_json::{Value, json};
use tarsy_model::{SessionStatus, StageStatus};

use tarsy_store::waits::WaitRecord;

use crate::approvals::wait::WaitDetail;

use crate::problem::public_message::{PublicMessage, public_message};
use crate::problem::{Code, Problem};

/// Operator action that the current state does not allow, or whose subject does not exist. Its
/// message is public.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConflictError {
    /// No queue with this name.
    #[error("unknown queue; known: {}", known.join(", "))]
    QueueNotFound { known: Vec<String> },
    /// It may have existed before.
    #[error("no worker with this id; it may have exited")]
    WorkerNotFound,
    /// It may have existed before.
    #[error("no dead job with this id; it may have been requeued or discarded")]
    DeadJobNotFound,
    /// The stage index exceeds the chain.
    #[error("the session's chain has {stages} stages, numbered from 0")]
    StageNotFound { stages: usize },
    /// Only ended sessions can be replayed.
    #[error("the session is {0}; wait until it ends, or cancel it")]
    SessionRunning(SessionStatus),
    /// Only running sessions can be cancelled.
    #[error("the session has already ended: {0}")]
    SessionEnded(SessionStatus),
    /// No stage can be replayed.
    #[error("no stage of this session has failed")]
    NoFailedStage,
    /// The branch exceeds those of the stage.
    #[error("the stage has {branches} branches, numbered from 0")]
    BranchNotFound { branches: usize },
    /// The current attempt of the stage has neither completed nor failed.
    #[error("stage {stage_index} {}; only stages that completed or failed can be replayed", replay_obstacle(*.status))]
    StageNotEnded {
        stage_index: i32,
        /// Its status; `None`: it never ran.
        status: Option<StageStatus>,
    },
    /// A stage that waits can't be replayed.
    #[error(
        "the stage waited for something that did not come; only stages that run can be replayed"
    )]
    StageWaits,
    /// A stage that this one needs was not replayed, because the session was cancelled during a replay.
    #[error(
        "stage `{0}`, which this one needs, has not run since stages before it were replayed; replay `{0}`, and this one follows"
    )]
    StageOutdated(String),
    /// Only one session per alert runs at a time.
    #[error("another session for the same alert is running; wait until it ends")]
    AlertIsLive,
    /// The session's chain has no agent that could answer a question about it.
    #[error(
        "the session's chain has no agent that could answer; ask the knowledge store by `/api/v1/ask`"
    )]
    NoAgent,
    /// A conversation has one unanswered question at a time.
    #[error(
        "another question about this session is not answered yet; wait until it is, or cancel it"
    )]
    QuestionRunning,
    /// No approval has this id.
    #[error("no approval with this id")]
    WaitNotFound,
    /// Someone else decided first, or the wait has expired.
    #[error("{}", already(.0))]
    AlreadyDecided(Box<WaitRecord>),
    /// No stage waits for the signal. Signals are not queued.
    #[error("no stage of this session waits for signal `{0}`")]
    NoSignalAwaited(String),
    /// An active job holds the dead one's unique key.
    #[error("an active job has the same unique key; discard this one")]
    JobKeyTaken,
    /// The caller did not authenticate with an API key that a browser session could be opened for.
    #[error("only a caller who shows an API key of their own can sign a browser in")]
    KeyRequired,
    /// A key can't revoke itself: the caller would lose access, and may be the last administrator.
    #[error("a key cannot revoke itself; use another key, or `tarsy keys revoke` on the database")]
    OwnKey,
    /// The stored body was masked, truncated or not read.
    #[error(
        "the stored body was masked, truncated or not read, so it can't be resubmitted; let the sender send it again"
    )]
    BodyNotWhole,
    /// A running session depends on this job.
    #[error("a running session depends on this job; requeue it, or cancel the session first")]
    JobNeeded,
}

impl From<ConflictError> for Problem {
    fn from(refused: ConflictError) -> Self {
        Self::Conflict(refused)
    }
}

impl ConflictError {
    const fn code(&self) -> Code {
        match self {
            Self::QueueNotFound { .. } => Code::QueueNotFound,
            Self::WorkerNotFound => Code::WorkerNotFound,
            Self::DeadJobNotFound => Code::DeadJobNotFound,
            Self::StageNotFound { .. } | Self::BranchNotFound { .. } => Code::StageNotFound,
            Self::SessionRunning(_) => Code::SessionRunning,
            Self::SessionEnded(_) => Code::SessionEnded,
            Self::NoFailedStage
            | Self::StageWaits
            | Self::StageOutdated(_)
            | Self::StageNotEnded { .. } => Code::StageNotFailed,
            Self::WaitNotFound => Code::ApprovalNotFound,
            Self::AlreadyDecided(_) => Code::AlreadyDecided,
            Self::NoSignalAwaited(_) => Code::NoSignalAwaited,
            Self::AlertIsLive => Code::AlertIsLive,
            Self::NoAgent => Code::NoAgent,
            Self::QuestionRunning => Code::QuestionRunning,
            Self::JobKeyTaken => Code::JobKeyTaken,
            Self::KeyRequired => Code::KeyRequired,
            Self::OwnKey => Code::OwnKey,
            Self::BodyNotWhole => Code::BodyNotWhole,
            Self::JobNeeded => Code::JobNeeded,
        }
    }

    pub(super) fn public_message(&self) -> PublicMessage {
        let members = match self {
            Self::QueueNotFound { known } => json!({ "known_queues": known }),
            Self::AlreadyDecided(wait) => json!({ "decision": {
                "wait_id": wait.wait_id, "status": WaitDetail::status(wait), "decided_by": wait.decided_by,
                "decided_at_us": wait.decided_at_us, "reason": wait.reason,
            }}),
            _ => Value::Null,
        };
        public_message(self.code(), self.to_string()).with(members)
    }
}

fn already(wait: &WaitRecord) -> String {
    match (&wait.decided_by, wait.decision) {
        (Some(by), Some(decision)) => format!("it is already {decision}, by {by}"),
        _ => format!("it is already {}", WaitDetail::status(wait)),
    }
}

fn replay_obstacle(status: Option<StageStatus>) -> String {
    status.map_or_else(|| "never ran".to_owned(), |status| format!("is {status}"))
}
