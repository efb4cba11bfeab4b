//! LLM providers and MCP servers that a chain uses.

use std::collections::BTreeSet;

use tarsy_chain::{BranchSource, ChainDefinition, StageDefinition, StageKind};

use crate::Config;

/// Names of the providers and MCP servers that the stages of a chain call, including those of sub-agents and fallbacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainUpstreams {
    /// LLM providers that can be asked.
    pub providers: BTreeSet<String>,
    /// Enabled MCP servers.
    pub servers: BTreeSet<String>,
}

impl Config {
    /// Returns what the stages of a chain call. Questions about its ended sessions don't count.
    #[must_use]
    pub fn upstreams_of(&self, chain: &ChainDefinition) -> ChainUpstreams {
        let mut found = ChainUpstreams::default();
        let mut agents: BTreeSet<String> = BTreeSet::new();
        let mut due: Vec<StageDefinition> = chain.stages.iter().flat_map(branches_of).collect();
        while let Some(stage) = due.pop() {
            let providers = self.provider_for(&stage, chain);
            found
                .providers
                .extend(providers.iter().map(|provider| provider.name.clone()));
            if let StageKind::Tool(tool) = &stage.kind {
                found.servers.insert(tool.server.clone());
            }
            let agent = stage.agent().and_then(|name| self.agent(name));
            if let Some(agent) = agent {
                let servers = self.servers_of(agent);
                found
                    .servers
                    .extend(servers.iter().map(|server| server.server_id.clone()));
            }
            for name in self.sub_agents_of(&stage) {
                // Agents may dispatch each other, so each is visited once.
                if agents.insert(name.to_owned()) {
                    due.push(StageDefinition::new(name, name));
                }
            }
        }
        found
    }
}

/// Returns a stage as each of its branches runs it, if the branches have their own agents.
fn branches_of(stage: &StageDefinition) -> Vec<StageDefinition> {
    let Some(BranchSource::Agents(agents)) = stage.branches.as_ref().map(|found| &found.source)
    else {
        return vec![stage.clone()];
    };
    let replicas: u32 = agents.iter().map(|agent| agent.replicas).sum();
    (0..i32::try_from(replicas).unwrap_or(i32::MAX))
        .map(|branch| stage.for_branch(branch).into_owned())
        .collect()
}
