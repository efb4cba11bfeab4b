//! A stage's resolved agent, strategy, pool and providers.

use serde::Serialize;
use tarsy_chain::{BranchSource, Branches, ChainDefinition, Join, StageDefinition, Success};
use tarsy_config::{AgentConfig, Config, ProviderConfig};
use tarsy_model::{IterationStrategy, Pool};

use crate::output::styled;

/// Stage with agent, strategy, pool and providers resolved.
#[derive(Debug, Serialize)]
pub(crate) struct ResolvedStage {
    pub(crate) name: String,
    /// `agent`, `ask`, `tool`, `function` or `wait`.
    pub(crate) kind: &'static str,
    /// The agent, model or tool that runs it, in the form of its rows: an agent's name, `ask:model`,
    /// `tool:server.tool`.
    pub(crate) agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strategy: Option<IterationStrategy>,
    pub(crate) pool: Pool,
    /// Stages that it lists as needed; `None`: the stage before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) needs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when: Option<String>,
    #[serde(skip_serializing_if = "Join::is_all")]
    pub(crate) join: Join,
    /// Branches that run concurrently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branches: Option<Branches>,
    /// Agents that it may dispatch: those of its own list, or else of its agents' lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sub_agents: Vec<String>,
    /// Providers in fallback order. Empty if the stage asks no model or can't run.
    pub(crate) providers: Vec<ResolvedProvider>,
}

/// Provider that a stage may use.
#[derive(Debug, Serialize)]
pub(crate) struct ResolvedProvider {
    pub(crate) name: String,
    pub(crate) model: String,
    /// Whether its API key is set, or not needed.
    pub(crate) available: bool,
}

impl ResolvedStage {
    /// Resolves a stage of a checked configuration.
    pub(crate) fn new(config: &Config, chain: &ChainDefinition, stage: &StageDefinition) -> Self {
        Self {
            name: stage.name.clone(),
            kind: stage.kind.actor().kind(),
            agent: stage.kind.shown_actor().into_owned(),
            strategy: config.stage_plans().plan(stage, None).strategy,
            pool: stage.pool.clone(),
            needs: stage.needs.clone(),
            when: stage.when.clone(),
            join: stage.join,
            branches: stage.branches.clone(),
            sub_agents: config
                .sub_agents_of(stage)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            providers: config
                .provider_for(stage, chain)
                .into_iter()
                .map(ResolvedProvider::from_config)
                .collect(),
        }
    }

    /// Describes how it runs, in one line.
    pub(crate) fn runs(&self) -> String {
        let runs = match &self.strategy {
            Some(strategy) => format!("{strategy} by {}", self.agent),
            None => self.agent.replacen(':', " ", 1),
        };
        match self.kind {
            "wait" => runs,
            _ => format!("{runs}, in pool {}", self.pool),
        }
    }

    /// Describes its branches, in one line.
    pub(crate) fn branches(&self) -> Option<String> {
        let branches = self.branches.as_ref()?;
        let which = match &branches.source {
            BranchSource::Replicas(count) => format!("{count} alike"),
            BranchSource::Each(list) => format!("one for each of {list}"),
            BranchSource::Agents(agents) => {
                let agents = agents.iter().map(|agent| match agent.replicas {
                    1 => agent.agent.clone(),
                    count => format!("{} x {count}", agent.agent),
                });
                agents.collect::<Vec<_>>().join(", ")
            }
        };
        Some(match branches.success {
            Success::All => which,
            Success::Any => format!("{which}; done with the first that completes"),
        })
    }

    /// Whether it asks a model.
    pub(crate) fn asks_model(&self) -> bool {
        matches!(self.kind, "agent" | "ask")
    }

    /// Lists the models in fallback order, in one line.
    pub(crate) fn models(&self) -> String {
        models(&self.providers)
    }
}

impl ResolvedProvider {
    fn from_config(provider: &ProviderConfig) -> Self {
        Self {
            name: provider.name.clone(),
            model: provider.model.clone(),
            available: provider.available,
        }
    }

    /// Returns an agent's providers without overrides by stage or chain, including fallbacks.
    pub(crate) fn of_agent(config: &Config, agent: &AgentConfig) -> Vec<Self> {
        let named = agent.llm_provider.as_deref();
        let Some(first) =
            named.map_or_else(|| config.default_provider(), |name| config.provider(name))
        else {
            return Vec::new();
        };
        let providers = config.with_fallbacks(first, &agent.model_options);
        providers.into_iter().map(Self::from_config).collect()
    }
}

/// Lists the models in fallback order, in one line.
pub(crate) fn models(providers: &[ResolvedProvider]) -> String {
    if providers.is_empty() {
        return styled("31", "none: no provider has an API key");
    }
    let shown = providers.iter().map(|provider| {
        let missing = if provider.available {
            ""
        } else {
            ", no API key"
        };
        format!("{} ({}{missing})", provider.name, provider.model)
    });
    shown.collect::<Vec<_>>().join(", then ")
}
