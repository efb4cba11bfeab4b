//! A session's rows as the rule sees them.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, StageStatus};

use crate::ChainDefinition;

/// Everything that a session's next transition is decided from.
#[derive(Clone, Debug)]
pub struct SessionState {
    /// Which session.
    pub session_id: SessionId,
    /// Where it stands.
    pub status: SessionStatus,
    /// The chain that it was accepted with.
    pub chain: ChainDefinition,
    /// The runbook that the alert names.
    pub runbook: RunbookState,
    /// Decides the priority of its jobs.
    pub severity: String,
    /// Trace of the alert's request.
    pub traceparent: Option<String>,
    /// Last attempt of each branch of each stage that has one.
    pub stages: Vec<StageAttempt>,
    /// What conditions read. Loaded only for chains that have any.
    pub facts: Option<StageFacts>,
}

/// How far fetching the runbook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunbookState {
    /// The alert names none.
    None,
    /// It has not been fetched.
    Unsettled {
        /// Where it is.
        url: String,
    },
    /// It is there.
    Fetched,
    /// It could not be fetched.
    Failed {
        /// Why.
        error: String,
    },
}

/// The last attempt of a branch of a stage.
#[derive(Clone, Debug, Deserialize)]
pub struct StageAttempt {
    /// Names the attempt.
    pub execution_id: ExecutionId,
    /// Position in the chain.
    pub stage_index: i32,
    /// Which branch; 0 in a stage without branches.
    #[serde(default)]
    pub branch: i32,
    /// How many branches the stage had when the row was written.
    #[serde(default = "one")]
    pub branch_count: i32,
    /// Name of the branch.
    #[serde(default)]
    pub branch_name: Option<String>,
    /// From 1. Counts the runs of the stage, those of all branches together: with the position it is unique in a session.
    pub attempt: i32,
    /// Replay round that it was made in. An attempt whose round is below that of a stage it needs was made
    /// before that stage was replayed, and must run again on top of it.
    pub round: i32,
    /// Where it stands.
    pub status: StageStatus,
    /// Strategy that it runs under.
    pub iteration_strategy: Option<String>,
    /// Why it failed, or why it was skipped.
    pub error_message: Option<String>,
}

const fn one() -> i32 {
    1
}

/// What expressions can read: the alert, and the outputs of stages.
#[derive(Clone, Debug, Default)]
pub struct StageFacts {
    /// The alert: `type`, `severity`, `data`.
    pub alert: Value,
    /// Output of each attempt that completed.
    pub outputs: HashMap<ExecutionId, Value>,
}

/// The end of a session.
#[derive(Clone, Debug)]
pub struct SessionEnd {
    /// Which session.
    pub session_id: SessionId,
    /// A terminal status.
    pub status: SessionStatus,
    /// How many stages completed; `None` when cancelled before any ended.
    pub outcome: Option<SessionOutcome>,
    /// The stage whose result is the answer.
    pub analysis_from: Option<ExecutionId>,
    /// Why it failed.
    pub error: Option<String>,
}
