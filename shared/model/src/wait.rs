//! Waits: what a stage waits for, and how that was decided.

use serde::{Deserialize, Serialize};

use crate::status::words;

/// Kind of the jobs that end waits whose time is up; the subject is the wait.
pub const WAIT_JOB: &str = "wait";

/// Kind of the jobs that send notifications of new waits; the subject is the wait.
pub const WAIT_NOTICE_JOB: &str = "wait_notice";

/// What a stage waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "wait_sort", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum WaitSort {
    /// A person's decision on whether the chain goes on as planned.
    Approval,
    /// Some time.
    Timer,
    /// A signal from outside.
    Signal,
    /// A person's decision on a single tool call of an agent.
    ToolCall,
}

words!(WaitSort {
    Approval => "approval",
    Timer => "timer",
    Signal => "signal",
    ToolCall => "tool_call",
});

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "wait_decision", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum WaitDecision {
    /// A person approved.
    Approved,
    /// A person denied.
    Denied,
    /// The signal came.
    Signalled,
    /// The time of a timer is over.
    Elapsed,
    /// Nobody decided, or no signal came, in time.
    Expired,
    /// The session was cancelled.
    Cancelled,
}

words!(WaitDecision {
    Approved => "approved",
    Denied => "denied",
    Signalled => "signalled",
    Elapsed => "elapsed",
    Expired => "expired",
    Cancelled => "cancelled",
});
