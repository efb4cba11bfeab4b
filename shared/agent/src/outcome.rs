//! Outcomes of a stage execution, and why a run stops without one.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tarsy_model::Shortage;

use crate::CallToApprove;

/// A source error whose type the agent does not care about.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Class of a stage's failure, as a word for rows and metrics.
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
    /// It is unknown whether the call took effect, and it may not be repeated.
    OutcomeUnknown,
    /// The code of an agent in Rust gave up, panicked, or decided differently than before.
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
    /// The agent concluded, or collected the data that it was asked for.
    Completed {
        /// `{result, status, agent, strategy, iterations, tool_calls, data_points, usage,
        /// cost, ..}`; `result` is the text that later stages read.
        output: Value,
        /// The analysis for people; `None` for the collect-only strategy.
        analysis: Option<String>,
    },
    /// The stage failed.
    Failed {
        /// Reason for people, without secrets.
        reason: String,
        /// Class for rows and metrics.
        class: FailureClass,
    },
}

/// Reason why a run stopped without an outcome. Nothing is lost: the transcript is recorded.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another worker holds the claim on the stage now. Write nothing more.
    #[error("the claim on this stage was lost")]
    ClaimLost,
    /// The caller cancelled: drain, lost lease or a cancelled session.
    #[error("the run was cancelled")]
    Cancelled,
    /// The stage must pause for a rate limit or an outage of the provider, and should not hold a slot meanwhile.
    /// Deliver it again after the delay; this costs no attempt.
    #[error("the stage is postponed by {0:?}")]
    Snooze(Duration),
    /// A person must approve this call first. Deliver the stage again, with the decision, when it is made.
    #[error("the stage waits for approval of {}.{}", .0.server, .0.tool)]
    Wait(Box<CallToApprove>),
    /// The stage waits for the sub-agents that it dispatched. Deliver it again when they have ended.
    #[error("the stage waits for its sub-agents")]
    WaitForSubAgents,
    /// The record could not be written. Deliver the stage again with backoff.
    #[error("the record of the stage could not be written")]
    Unavailable(#[source] BoxError),
    /// The record can't be stored, now or later. Another run would pay for the same result again.
    #[error("the record of the stage can't be stored")]
    Unstorable(#[source] BoxError),
    /// Another worker has the stage now, because it may be able to do what this machine can't.
    #[error("the stage was handed over to another worker")]
    HandedOver,
    /// This machine has run out of a resource. Deliver the stage again elsewhere, without counting an attempt.
    #[error("this machine can't go on with the stage")]
    Shortage(#[source] Shortage),
}
