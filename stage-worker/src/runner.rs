//! The interface that runs a stage between its begin and its end.

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

/// End of a run.
#[derive(Debug)]
pub enum StageEnd {
    /// The agent concluded.
    Completed {
        /// Output: `{"result": text, ..}`.
        output: Value,
    },
    /// The agent could not conclude. This is a regular outcome.
    Failed {
        /// Reason for users, without secrets.
        reason: String,
        /// Error class, for rows and metrics.
        class: String,
    },
    /// The provider asks for a pause that is too long to occupy a slot.
    Snooze(Duration),
    /// The stage waits until a person decides about a tool call.
    Wait(Box<CallToApprove>),
    /// The stage waits until a person allows it to continue beyond a spending limit.
    WaitToSpend(Box<SpendingQuestion>),
    /// The stage waits until its sub-agents have ended.
    WaitForSubAgents,
    /// The record could not be written. The same attempt continues later.
    Retry(BoxError),
    /// This machine has run out of a resource. The same attempt continues on another one.
    Shortage(Shortage),
    /// The job was handed over to another worker.
    HandedOver,
    /// The run was stopped, or its claim was lost. Nothing is written.
    Stopped,
}

/// Question to a person about a stage beyond a spending limit.
#[derive(Debug)]
pub struct SpendingQuestion {
    /// The limit that was reached.
    pub reason: String,
    /// Lowest role that may decide.
    pub role: Role,
    /// Time after which the stage fails, in ms.
    pub expires_ms: u64,
}

impl StageEnd {
    /// Returns the metrics label.
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
/// The same attempt may run again after a crash. It continues from what it recorded under earlier claims.
#[async_trait]
pub trait StageRunner: Send + Sync + 'static {
    /// Runs the stage until it ends or `stop` fires.
    async fn run(&self, stage: &BegunStage, fence: StageFence, stop: &StopSignal) -> StageEnd;

    /// Returns the configuration that the stage runs with, to be stored with it. `None`: nothing is stored.
    fn configuration(&self, _stage: &BegunStage) -> Option<Arc<StageConfiguration>> {
        None
    }

    /// Returns the lowest role that may approve calls of an MCP server.
    fn approver(&self, _server: &str) -> Role {
        Role::Operator
    }

    /// Shuts down what it has started, in order. Called when no stage runs any more.
    async fn close(&self) {}
}
