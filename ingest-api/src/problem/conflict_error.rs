//! ReasonBody what an operator asks for is not done.

use serde_json::{Value, json};
use tarsy_model::{SessionStatus, StageStatus};

use super::public_message::{PublicMessage, public_message};
use super::{Code, Problem};

/// An action that the state of things does not allow, or whose subject is not there. Its text
/// is what the operator is public_message.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConflictError {
    /// None has jobs, workers or a stage under this name.
    #[error("no queue has this name; known: {}", known.join(", "))]
    QueueNotFound {
        /// What there is.
        known: Vec<String>,
    },
    /// It may have been there.
    #[error("no worker has this id; it may have ended")]
    WorkerNotFound,
    /// It may have been there.
    #[error("no dead job has this id; it may have been requeued or discarded")]
    DeadJobNotFound,
    /// Beyond the end of the chain.
    #[error("the session's chain has {stages} stages, counted from 0")]
    StageNotFound {
        /// How many it has.
        stages: usize,
    },
    /// Only an ended session is run again.
    #[error("the session is {0}; wait for its end, or cancel it")]
    SessionRunning(SessionStatus),
    /// Only a session under way is cancelled.
    #[error("the session has ended: it is {0}")]
    SessionEnded(SessionStatus),
    /// There is nothing to run again.
    #[error("no stage of this session has failed")]
    NoFailedStage,
    /// The current attempt of the stage did not fail.
    #[error("stage {stage_index} {}; only a failed stage is run again", stands(*.status))]
    StageNotFailed {
        /// Which was asked for.
        stage_index: i32,
        /// Where it stands; `None`: it was never run.
        status: Option<StageStatus>,
    },
    /// Two sessions about one alert are never under way together.
    #[error("another session about the same alert is under way; its end comes first")]
    AlertIsLive,
    /// A live job holds the dead one's unique key.
    #[error("a live job does the same work; discard this one")]
    JobKeyTaken,
    /// Whoever asks would not be heard again, and might be the last administrator.
    #[error(
        "this is the key that asks: revoke it with another, or by `tarsy keys revoke` on the database"
    )]
    OwnKey,
    /// A rejected alert was masked, cut or not read.
    #[error(
        "its body was masked, cut or not read before it was kept, so it can't be submitted as it was; let its sender send it again"
    )]
    BodyNotWhole,
    /// A session under way has no other job than this dead one.
    #[error("a session under way waits for this job: requeue it, or cancel the session first")]
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
            Self::StageNotFound { .. } => Code::StageNotFound,
            Self::SessionRunning(_) => Code::SessionRunning,
            Self::SessionEnded(_) => Code::SessionEnded,
            Self::NoFailedStage | Self::StageNotFailed { .. } => Code::StageNotFailed,
            Self::AlertIsLive => Code::AlertIsLive,
            Self::JobKeyTaken => Code::JobKeyTaken,
            Self::OwnKey => Code::OwnKey,
            Self::BodyNotWhole => Code::BodyNotWhole,
            Self::JobNeeded => Code::JobNeeded,
        }
    }

    pub(super) fn public_message(&self) -> PublicMessage {
        let members = match self {
            Self::QueueNotFound { known } => json!({ "known_queues": known }),
            _ => Value::Null,
        };
        public_message(self.code(), self.to_string()).with(members)
    }
}

fn stands(status: Option<StageStatus>) -> String {
    status.map_or_else(
        || "was never run".to_owned(),
        |status| format!("is {status}"),
    )
}
