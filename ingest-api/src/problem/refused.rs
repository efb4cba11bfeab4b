//! Why what an operator asks for is not done.

use serde_json::json;
use tarsy_model::{SessionStatus, StageStatus};

use super::{Code, Problem, Told, told};

/// An action that the state of things does not allow, or whose subject is not there.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refused {
    /// No queue has this name, that is, none has jobs, workers or a stage.
    #[error("unknown queue")]
    QueueNotFound {
        /// What there is.
        known: Vec<String>,
    },
    /// No worker has this id (any more).
    #[error("unknown worker")]
    WorkerNotFound,
    /// No dead job has this id (any more).
    #[error("unknown dead job")]
    DeadJobNotFound,
    /// The session's chain has no such stage.
    #[error("unknown stage")]
    StageNotFound {
        /// How many it has.
        stages: usize,
    },
    /// The session is under way.
    #[error("session running")]
    SessionRunning(SessionStatus),
    /// The session has ended.
    #[error("session ended")]
    SessionEnded(SessionStatus),
    /// The current attempt of the stage did not fail.
    #[error("stage not failed")]
    StageNotFailed {
        /// Which was asked for; `None`: any.
        stage_index: Option<i32>,
        /// Where it stands; `None`: it was never run.
        status: Option<StageStatus>,
    },
    /// Another session about the same alert is under way.
    #[error("alert is live")]
    AlertIsLive,
    /// A live job holds the dead one's unique key.
    #[error("job key taken")]
    JobKeyTaken,
    /// A session under way has no other job than this dead one.
    #[error("job needed")]
    JobNeeded,
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl Refused {
    /// Codes and public texts.
    pub(super) fn told(&self) -> Told {
        match self {
            Self::QueueNotFound { known } => told(
                Code::QueueNotFound,
                format!("no queue has this name; known: {}", known.join(", ")),
            )
            .with(json!({ "known_queues": known })),
            Self::WorkerNotFound => told(
                Code::WorkerNotFound,
                "no worker has this id; it may have ended",
            ),
            Self::DeadJobNotFound => told(
                Code::DeadJobNotFound,
                "no dead job has this id; it may have been requeued or discarded",
            ),
            Self::StageNotFound { stages } => told(
                Code::StageNotFound,
                format!("the session's chain has {stages} stages, counted from 0"),
            ),
            Self::SessionRunning(status) => told(
                Code::SessionRunning,
                format!("the session is {status}; wait for its end, or cancel it"),
            ),
            Self::SessionEnded(status) => told(
                Code::SessionEnded,
                format!("the session has ended: it is {status}"),
            ),
            Self::StageNotFailed {
                stage_index,
                status,
            } => {
                let stage = stage_index
                    .map_or_else(|| "no stage".to_owned(), |index| format!("stage {index}"));
                let stands = match (stage_index, status) {
                    (None, _) => "of this session has failed".to_owned(),
                    (_, Some(status)) => format!("is {status}; only a failed stage is run again"),
                    (_, None) => "was never run; only a failed stage is run again".to_owned(),
                };
                told(Code::StageNotFailed, format!("{stage} {stands}"))
            }
            Self::AlertIsLive => told(
                Code::AlertIsLive,
                "another session about the same alert is under way; its end comes first",
            ),
            Self::JobKeyTaken => told(
                Code::JobKeyTaken,
                "a live job does the same work; discard this one",
            ),
            Self::JobNeeded => told(
                Code::JobNeeded,
                "a session under way waits for this job: requeue it, or cancel the session first",
            ),
        }
    }
}
