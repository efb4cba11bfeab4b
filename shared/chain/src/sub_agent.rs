//! The chain of a child session, which a sub-agent runs.

use tarsy_model::{ModelOptions, Pool, SUB_AGENT_CHAIN};

use crate::{AgentStage, ChainDefinition, OnRunbookError, StageDefinition, StageKind};

/// Maximum depth of child sessions below the alert's session.
pub const MAX_SUB_AGENT_DEPTH: i32 = 2;

/// Name of the chain's only stage.
pub const SUB_AGENT_STAGE: &str = "task";

/// Returns a chain with one stage that `agent` runs, in the pool and with the provider of the stage that dispatches
/// it.
#[must_use]
pub fn sub_agent(agent: &str, pool: Pool, llm_provider: Option<String>) -> ChainDefinition {
    ChainDefinition {
        chain_id: SUB_AGENT_CHAIN.to_owned(),
        alert_types: Vec::new(),
        stages: vec![StageDefinition {
            pool,
            kind: StageKind::SubAgent(AgentStage {
                agent: agent.to_owned(),
                iteration_strategy: None,
                llm_provider: None,
                output_schema: None,
                sub_agents: None,
                labels: Vec::new(),
                verifies: None,
                model_options: ModelOptions::default(),
            }),
            ..StageDefinition::new(SUB_AGENT_STAGE, agent)
        }],
        description: None,
        llm_provider,
        on_runbook_error: OnRunbookError::Continue,
        chat: None,
        labels: Vec::new(),
    }
}
