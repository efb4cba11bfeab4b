//! Port that runs a stage between its begin and its end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tarsy_agent::CallToApprove;
use tarsy_model::{Role, Shortage};
pub use tarsy_queue::BoxError;
use tarsy_queue::StopSignal;
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;

use crate::StageConfiguration;

/// How a run ended.
#[derive(Debug)]
pub enum StageEnd {
    /// The agent concluded.
    Completed {
        /// `{"result": text, ..}`.
        output: Value,
    },
    /// The agent could not conclude: an outcome like any other.
    Failed {
        /// Shown to users; free of secrets.
        reason: String,
        /// For rows and metrics.
        class: String,
    },
    /// The provider asks for a pause that is too long to hold a slot for.
    Snooze(Duration),
    /// A person must approve a tool call first.
    Wait(Box<CallToApprove>),
    /// A person must let it go on beyond a spending limit first.
    WaitToSpend(Box<SpendingQuestion>),
    /// Its sub-agents must end first.
    WaitForSubAgents,
    /// The record could not be written; the same attempt goes on later.
    Retry(BoxError),
    /// The machine has run out of something: the same attempt goes on elsewhere.
    Shortage(Shortage),
    /// Another worker may have the job now.
    HandedOver,
    /// The run was stopped, or its claim was lost: nothing is written.
    Stopped,
}

/// What a person is asked about a stage beyond a spending limit.
#[derive(Debug)]
pub struct SpendingQuestion {
    /// Whose money is spent.
    pub reason: String,
    /// Least role that may decide.
    pub role: Role,
    /// After how long it fails, in ms.
    pub expires_ms: u64,
}

impl StageEnd {
    /// Metrics count it in this word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Snooze(_) => "snoozed",
            Self::Wait(_) | Self::WaitToSpend(_) | Self::WaitForSubAgents => "waiting",
            Self::Retry(_) | Self::Shortage(_) => "retried",
            Self::HandedOver => "handed_over",
            Self::Stopped => "stopped",
        }
    }
}

/// Runs one stage that has begun.
///
/// The same attempt may be run again after a crash; what it recorded under earlier claims
/// is where it goes on.
#[async_trait]
pub trait StageRunner: Send + Sync + 'static {
    /// Runs the stage until it ends or `stop` fires.
    async fn run(&self, stage: &BegunStage, fence: StageFence, stop: &StopSignal) -> StageEnd;

    /// What the stage runs under, to be kept with it. `None`: nothing is kept.
    fn configuration(&self, _stage: &BegunStage) -> Option<Arc<StageConfiguration>> {
        None
    }

    /// Least role that may approve calls of an MCP server.
    fn approver(&self, _server: &str) -> Role {
        Role::Operator
    }

    /// Ends what it has started, in order; called when no stage runs any more.
    async fn close(&self) {}
}
