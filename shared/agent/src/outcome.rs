//! Outcomes of a stage execution, and why a run stops without one.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tarsy_model::Shortage;

use crate::CallToApprove;

/// A source error whose type the agent does not care about.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a stage failed, as a word for rows and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// The model gave no answer; carries the call's error class, e.g. `auth`.
    Llm(String),
    /// None of the agent's MCP servers could be reached.
    ToolsUnavailable,
    /// The stage's time was up before it could conclude.
    Deadline,
    /// A limit was reached and the model did not conclude, or nothing was collected.
    NoConclusion,
    /// The model's answer did not match the schema, corrections included.
    InvalidOutput,
    /// The tool was not called: it is not offered, may not be called, or was given wrong arguments.
    ToolRefused,
    /// The tool answered with an error, or not at all.
    ToolFailed,
    /// Nobody knows whether the call took effect, and it may not be repeated.
    OutcomeUnknown,
    /// The code of an agent in Rust gave up, panicked, or decided otherwise than before.
    Code,
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Llm(class) => write!(f, "llm_{class}"),
            Self::ToolsUnavailable => f.write_str("tools_unavailable"),
            Self::Deadline => f.write_str("deadline"),
            Self::NoConclusion => f.write_str("no_conclusion"),
            Self::InvalidOutput => f.write_str("invalid_output"),
            Self::ToolRefused => f.write_str("tool_refused"),
            Self::ToolFailed => f.write_str("tool_failed"),
            Self::OutcomeUnknown => f.write_str("outcome_unknown"),
            Self::Code => f.write_str("code"),
        }
    }
}

/// The end of a stage execution. A failure is an outcome, not an error: the chain goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum StageOutcome {
    /// The agent concluded, or collected what it was to collect.
    Completed {
        /// `{result, status, agent, strategy, iterations, tool_calls, data_points, usage,
        /// cost, ..}`; `result` is the text that later stages read.
        output: Value,
        /// The analysis for people; `None` for the collect-only strategy.
        analysis: Option<String>,
    },
    /// It could not.
    Failed {
        /// For people; free of secrets.
        reason: String,
        /// For rows and metrics.
        class: FailureClass,
    },
}

/// Why a run stopped without an outcome. Nothing is lost: the transcript is recorded.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another worker holds the stage now; write nothing more.
    #[error("the claim on this stage was lost")]
    ClaimLost,
    /// The caller cancelled: drain, lost lease or a cancelled session.
    #[error("the run was cancelled")]
    Cancelled,
    /// The provider asks for a pause that is too long to hold a slot for. Deliver again after
    /// the delay; it costs no attempt.
    #[error("the stage is postponed by {0:?}")]
    Snooze(Duration),
    /// A person must approve this call first. Deliver again, with the decision, when it is decided.
    #[error("the stage waits for approval of {}.{}", .0.server, .0.tool)]
    Wait(Box<CallToApprove>),
    /// It waits for the sub-agents that it dispatched. Deliver again when they have ended.
    #[error("the stage waits for its sub-agents")]
    WaitForSubAgents,
    /// The record could not be written; deliver again with backoff.
    #[error("the record of the stage could not be written")]
    Unavailable(#[source] BoxError),
    /// What was to be recorded can't be stored: another run would pay for the same again.
    #[error("the record of the stage can't be stored")]
    Unstorable(#[source] BoxError),
    /// Another worker has it now: it may do what this machine can't.
    #[error("the stage was handed over to another worker")]
    HandedOver,
    /// The machine has run out of something; deliver again elsewhere, uncounted.
    #[error("this machine can't go on with the stage")]
    Shortage(#[source] Shortage),
}
