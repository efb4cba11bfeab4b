//! What a stage waits for, and how the wait ends.

use serde::{Deserialize, Serialize};

use crate::status::words;

/// Kind of the jobs that expire waits. The subject is the wait.
pub const WAIT_JOB: &str = "wait";

/// Kind of the jobs that create notifications of new waits. The subject is the wait.
pub const WAIT_NOTICE_JOB: &str = "wait_notice";

/// Kind of the jobs that resume stages that wait for their child sessions. The subject is the parent session.
pub const CHILDREN_JOB: &str = "children";

/// Priority of jobs of kind [`CHILDREN_JOB`]: the highest. They are small, and a stage of any severity may wait for
/// one.
pub const CHILDREN_PRIORITY: i16 = 3;

/// What a stage waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "sqlx",
    derive(sqlx::Type),
    sqlx(type_name = "wait_sort", rename_all = "snake_case")
)]
#[serde(rename_all = "snake_case")]
pub enum WaitSort {
    /// Approval of a stage by a person.
    Approval,
    /// A fixed duration.
    Timer,
    /// A signal sent through the API.
    Signal,
    /// Approval of a single tool call by a person.
    ToolCall,
    /// The end of the child sessions that its agent dispatched.
    Children,
    /// Approval by a person of a stage beyond a spending limit.
    Spending,
}

words!(WaitSort {
    Approval => "approval",
    Timer => "timer",
    Signal => "signal",
    ToolCall => "tool_call",
    Children => "children",
    Spending => "spending",
});

impl WaitSort {
    /// Whether a person approves or denies it.
    #[must_use]
    pub const fn is_approval(self) -> bool {
        matches!(self, Self::Approval | Self::ToolCall | Self::Spending)
    }
}

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
    /// The signal arrived.
    Signalled,
    /// The timer elapsed.
    Elapsed,
    /// No decision or signal arrived in time.
    Expired,
    /// The session was cancelled.
    Cancelled,
    /// Every child session of the stage has ended.
    ChildrenEnded,
}

words!(WaitDecision {
    Approved => "approved",
    Denied => "denied",
    Signalled => "signalled",
    Elapsed => "elapsed",
    Expired => "expired",
    Cancelled => "cancelled",
    ChildrenEnded => "children_ended",
});
