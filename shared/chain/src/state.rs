//! Rows of a session, as input of [`decide`](crate::decide()).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, StageStatus};

use crate::ChainDefinition;

/// Input of a session's next transition.
#[derive(Clone, Debug)]
pub struct SessionState {
    /// Session id.
    pub session_id: SessionId,
    /// Status.
    pub status: SessionStatus,
    /// The chain that it was accepted with.
    pub chain: ChainDefinition,
    /// Runbook of the alert.
    pub runbook: RunbookState,
    /// Severity, which determines the priority of the session's jobs.
    pub severity: String,
    /// Trace context of the alert's request.
    pub traceparent: Option<String>,
    /// Last attempt of each branch, for stages that have attempts.
    pub stages: Vec<StageAttempt>,
    /// Values for conditions. Loaded only for chains with conditions.
    pub facts: Option<StageFacts>,
}

/// State of fetching the runbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunbookState {
    /// The alert has no runbook.
    None,
    /// Not fetched yet.
    Unsettled {
        /// URL or name.
        url: String,
    },
    /// Fetched.
    Fetched,
    /// Fetching failed.
    Failed {
        /// Error.
        error: String,
    },
}

/// Last attempt of a branch.
#[derive(Clone, Debug, Deserialize)]
pub struct StageAttempt {
    /// Id of the attempt.
    pub execution_id: ExecutionId,
    /// Position in the chain.
    pub stage_index: i32,
    /// Branch; 0 in a stage without branches.
    #[serde(default)]
    pub branch: i32,
    /// Number of branches when the row was written.
    #[serde(default = "one")]
    pub branch_count: i32,
    /// Name of the branch.
    #[serde(default)]
    pub branch_name: Option<String>,
    /// Number of the stage's run, from 1, counted over all branches. Unique in a session together with the position.
    pub attempt: i32,
    /// Replay round. If its round is lower than that of a stage it needs, the attempt predates that stage's replay and
    /// must run again.
    pub round: i32,
    /// Status.
    pub status: StageStatus,
    /// Iteration strategy.
    pub iteration_strategy: Option<String>,
    /// Error, or reason for skipping.
    pub error_message: Option<String>,
}

const fn one() -> i32 {
    1
}

/// Values for expressions: the alert and the outputs of stages.
#[derive(Clone, Debug, Default)]
pub struct StageFacts {
    /// The alert: `type`, `severity`, `data`.
    pub alert: Value,
    /// Output of each completed attempt.
    pub outputs: HashMap<ExecutionId, Value>,
}

/// The end of a session.
#[derive(Clone, Debug)]
pub struct SessionEnd {
    /// Session id.
    pub session_id: SessionId,
    /// Terminal status.
    pub status: SessionStatus,
    /// Outcome from the stages that completed; `None` if the session was cancelled before any ended.
    pub outcome: Option<SessionOutcome>,
    /// Attempt whose result is the session's analysis.
    pub analysis_from: Option<ExecutionId>,
    /// Attempts that verified it, if any.
    pub verified_by: Vec<ExecutionId>,
    /// Error of the session.
    pub error: Option<String>,
}
