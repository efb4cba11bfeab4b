//! Who runs a stage and asks which model, as the fleet would resolve it.

use serde::Serialize;
use tarsy_config::{AgentConfig, Config, ProviderConfig};
use tarsy_model::{ChainDefinition, IterationStrategy, Pool, StageDefinition};

use crate::output::styled;

/// One stage with everything resolved.
#[derive(Debug, Serialize)]
pub(crate) struct ResolvedStage {
    pub(crate) name: String,
    pub(crate) agent: String,
    pub(crate) strategy: IterationStrategy,
    pub(crate) pool: Pool,
    /// In the order in which they are asked; empty: the stage can't run.
    pub(crate) providers: Vec<ResolvedProvider>,
}

/// A model that may be asked.
#[derive(Debug, Serialize)]
pub(crate) struct ResolvedProvider {
    pub(crate) name: String,
    pub(crate) model: String,
    /// Whether it has its key, or needs none.
    pub(crate) available: bool,
}

impl ResolvedStage {
    /// `None`: the agent is not configured, which a checked configuration does not let happen.
    pub(crate) fn of(
        config: &Config,
        chain: &ChainDefinition,
        stage: &StageDefinition,
    ) -> Option<Self> {
        let agent = config.agent(&stage.agent)?;
        Some(Self {
            name: stage.name.clone(),
            agent: agent.name.clone(),
            strategy: config.stage_plans().of(stage, None).strategy,
            pool: stage.pool.clone(),
            providers: config
                .provider_for(stage, agent, chain)
                .into_iter()
                .map(ResolvedProvider::of)
                .collect(),
        })
    }

    /// The models in a line.
    pub(crate) fn models(&self) -> String {
        models(&self.providers)
    }
}

impl ResolvedProvider {
    fn of(provider: &ProviderConfig) -> Self {
        Self {
            name: provider.name.clone(),
            model: provider.model.clone(),
            available: provider.available,
        }
    }

    /// Whom an agent asks where neither stage nor chain says otherwise, fallbacks included.
    pub(crate) fn of_agent(config: &Config, agent: &AgentConfig) -> Vec<Self> {
        let named = agent.llm_provider.as_deref();
        let Some(first) =
            named.map_or_else(|| config.default_provider(), |name| config.provider(name))
        else {
            return Vec::new();
        };
        let fallbacks = first
            .fallbacks
            .iter()
            .filter_map(|name| config.provider(name));
        std::iter::once(first)
            .chain(fallbacks)
            .map(Self::of)
            .collect()
    }
}

/// Models in the order in which they are asked, in a line.
pub(crate) fn models(providers: &[ResolvedProvider]) -> String {
    if providers.is_empty() {
        return styled("31", "none: no provider has its key");
    }
    let shown = providers.iter().map(|provider| {
        let missing = if provider.available { "" } else { ", no key" };
        format!("{} ({}{missing})", provider.name, provider.model)
    });
    shown.collect::<Vec<_>>().join(", then ")
}
