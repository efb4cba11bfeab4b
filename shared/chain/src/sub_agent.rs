//! The chain of a child session: what a sub-agent runs.

use tarsy_model::{ModelOptions, Pool, SUB_AGENT_CHAIN};

use crate::{AgentStage, ChainDefinition, OnRunbookError, StageDefinition, StageKind};

/// Most sessions in a line of descent below that of the alert.
pub const MAX_SUB_AGENT_DEPTH: i32 = 2;

/// Name of its only stage.
pub const SUB_AGENT_STAGE: &str = "task";

/// The chain of one stage that `agent` runs, in the pool and with the provider of the stage that dispatches it.
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
