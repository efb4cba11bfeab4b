//! A chain: the ordered stages an alert type goes through.

use serde::{Deserialize, Serialize};

use crate::{IterationStrategy, Pool};

/// What happens if fetching the runbook fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRunbookError {
    /// Records the error and continues without it. The default.
    #[default]
    Continue,
    /// Fail the session.
    Fail,
}

/// An ordered list of stages (seed 001, `ChainDefinitionModel`).
///
/// A session keeps the definition it was accepted with; a changed configuration never
/// changes a session that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainDefinition {
    /// Unique among built-in and configured chains.
    pub chain_id: String,
    /// Alert types that this chain answers; each type belongs to one chain.
    pub alert_types: Vec<String>,
    /// Run in this order, at least one.
    pub stages: Vec<StageDefinition>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Provider for stages and agents that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// Whether the chain continues without its runbook.
    #[serde(default)]
    pub on_runbook_error: OnRunbookError,
}

/// One stage of a chain (seed 001, `ChainStageModel`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageDefinition {
    /// Shown to people; unique within the chain.
    pub name: String,
    /// The agent that runs it, by bare name.
    pub agent: String,
    /// Overrides the agent's own strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_strategy: Option<IterationStrategy>,
    /// The stage workers that may run it.
    #[serde(default)]
    pub pool: Pool,
    /// Overrides the agent's and the chain's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_provider: Option<String>,
    /// How long it may wait while no live worker can run it, in ms; `None`: as the fleet's environment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_timeout_ms: Option<u64>,
    /// Longest run in ms, all workers together. Set when a session is accepted, together with the strategy and
    /// the provider of its agent; `None` in a configuration and in sessions of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl StageDefinition {
    /// Whether strategy, provider and timeout are final. A worker then needs no configuration to plan the stage.
    #[must_use]
    pub const fn is_resolved(&self) -> bool {
        self.timeout_ms.is_some()
    }
}
