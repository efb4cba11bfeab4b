//! Builds the brief of a stage's agent from the configuration.

use std::collections::BTreeMap;

use tarsy_agent::{AgentBrief, ApprovalRule, ServerInstructions};
use tarsy_config::{AgentConfig, Approve, Config, McpServerConfig};
use tarsy_masking::Masker;
use tarsy_model::{AlertProcessingData, EarlierTurn, FollowUp, IterationStrategy};

/// Builds the brief of an agent, with `data` masked. The caller sets the time when the stage began.
#[must_use]
pub fn agent_brief(
    config: &Config,
    agent: &AgentConfig,
    strategy: IterationStrategy,
    data: &AlertProcessingData,
    alert_masker: &Masker,
) -> AgentBrief {
    let servers = config.servers_of(agent).into_iter();
    AgentBrief {
        agent: agent.name.clone(),
        strategy,
        code: agent.code.as_deref().and_then(tarsy_code_agents::find),
        data: masked(alert_masker, data),
        started_at: None,
        changes: Vec::new(),
        follow_up: None,
        task: None,
        custom_instructions: agent.custom_instructions.clone(),
        server_instructions: servers
            .filter(|server| !server.instructions.is_empty())
            .map(|server| ServerInstructions {
                server: server.server_id.clone(),
                text: server.instructions.clone(),
            })
            .collect(),
        approvals: approvals(config.servers_of(agent)),
        output: None,
        limits: agent.limits,
    }
}

/// Masks alert, runbook and links for the model. The rows keep what was received.
pub(crate) fn masked(masker: &Masker, data: &AlertProcessingData) -> AlertProcessingData {
    let text = |text: &String| masker.mask_or_withhold(text);
    AlertProcessingData {
        alert_data: masker.mask_json(&data.alert_data).0,
        runbook_url: data.runbook_url.as_ref().map(text),
        runbook_content: data.runbook_content.as_ref().map(text),
        runbook_error: data.runbook_error.as_ref().map(text),
        ..data.clone()
    }
}

/// Masks a question and the earlier ones for the model. Answers and tool results were masked when they were recorded.
pub(crate) fn masked_follow_up(masker: &Masker, follow_up: FollowUp) -> FollowUp {
    let turns = follow_up.turns.into_iter().map(|turn| EarlierTurn {
        question: masker.mask_or_withhold(&turn.question),
        ..turn
    });
    FollowUp {
        question: masker.mask_or_withhold(&follow_up.question),
        turns: turns.collect(),
        ..follow_up
    }
}

/// Returns the rules for calls of these servers that need approval.
pub(crate) fn approvals<'a>(
    servers: impl IntoIterator<Item = &'a McpServerConfig>,
) -> BTreeMap<String, ApprovalRule> {
    let servers = servers.into_iter();
    servers
        .filter_map(|server| Some((server.server_id.clone(), rule(server.approve.as_ref()?))))
        .collect()
}

fn rule(approve: &Approve) -> ApprovalRule {
    match approve {
        Approve::Destructive => ApprovalRule::Destructive,
        Approve::All => ApprovalRule::All,
        Approve::Tools(tools) => ApprovalRule::Tools(tools.clone()),
    }
}
