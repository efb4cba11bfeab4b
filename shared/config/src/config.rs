//! The loaded configuration: checked, resolved, with defaults.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use tarsy_chain::{ChainDefinition, Hold, StageDefinition};
use tarsy_model::{IterationStrategy, ModelOptions, Suppression};

use crate::agent::bare_name;
use crate::approvals::Approvals;
use crate::{
    AgentConfig, AgentLimits, CataloguePrice, KnowledgeConfig, MaskingConfig, McpServerConfig,
    NotificationConfig, Policy, Price, Problem, ProviderConfig, Retention, RunbookConfig,
    SpendingLimits, WebhookConfig, catalogue_price,
};

/// Agents, chains, servers and providers of the fleet; see [`Config::load`].
///
/// Serializes for people to look at: secrets show as their templates or not at all.
#[derive(Clone, Debug, Serialize)]
pub struct Config {
    /// Where it came from: the file's name, or `built-in`.
    pub source: String,
    /// SHA-256 of the file, in hex, as `sha256sum` prints it; of nothing for the built-in definitions. What the environment
    /// adds is not part of it, so that processes of all roles have the same.
    #[serde(skip)]
    pub hash: String,
    /// Log level of every process that sets no `RUST_LOG`; wins over `LOG_LEVEL`.
    pub log_level: Option<&'static str>,
    /// MCP servers by id, disabled ones included.
    pub servers: BTreeMap<String, McpServerConfig>,
    /// Agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Chains by id.
    pub chains: BTreeMap<String, ChainDefinition>,
    /// Providers by name, those without a key included.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The provider for whom nothing names one, as configured.
    pub default_llm_provider: Option<String>,
    /// The provider that summarises tool results of more than a page. Default: none does.
    pub summary_provider: Option<String>,
    /// The strategy for whom nothing names one.
    pub default_strategy: IterationStrategy,
    /// Webhook sources by the name in their path.
    pub webhooks: BTreeMap<String, WebhookConfig>,
    /// Whom to tell when a session has ended, by name.
    pub notifications: BTreeMap<String, NotificationConfig>,
    /// Limits of agents that set none.
    pub limits: AgentLimits,
    /// What is masked in alert data before a model sees it.
    pub alert_masking: MaskingConfig,
    /// Policies over what a model is told and what it says, where a stage calls `guard`.
    pub guardrails: Vec<Policy>,
    /// The chain that answers questions to the knowledge store; `None`: none does.
    pub knowledge: Option<KnowledgeConfig>,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// What may be spent in a day.
    pub spending: SpendingLimits,
    /// Which alerts wait for a person before they are investigated, by chain; those of others do not.
    pub holds: BTreeMap<String, Hold>,
    /// Which repeated alerts are suppressed, by chain; those of others are not. Read from the present configuration.
    pub suppressions: BTreeMap<String, Suppression>,
    /// How long things are kept.
    pub retention: Retention,
    /// Who may approve what.
    pub approvals: Approvals,
    /// Where runbooks may come from.
    pub runbooks: RunbookConfig,
    /// What is odd but no reason not to start; log these once.
    #[serde(skip)]
    pub warnings: Vec<Problem>,
    /// Chain by alert type.
    #[serde(skip)]
    pub(crate) chain_of: BTreeMap<String, String>,
    /// Configured providers in the order of the file, then the built-in ones.
    #[serde(skip)]
    pub(crate) provider_order: Vec<String>,
}

impl Config {
    /// The chain that answers an alert type.
    #[must_use]
    pub fn chain_for(&self, alert_type: &str) -> Option<&ChainDefinition> {
        self.chains.get(self.chain_of.get(alert_type)?)
    }

    /// Every alert type that has a chain, sorted.
    #[must_use]
    pub fn alert_types(&self) -> Vec<&str> {
        self.chain_of.keys().map(String::as_str).collect()
    }

    /// A chain by its id.
    #[must_use]
    pub fn chain(&self, chain_id: &str) -> Option<&ChainDefinition> {
        self.chains.get(chain_id)
    }

    /// An agent by bare name or as `ConfigurableAgent:<name>`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&AgentConfig> {
        self.agents.get(bare_name(name))
    }

    /// An enabled MCP server by its id.
    #[must_use]
    pub fn server(&self, server_id: &str) -> Option<&McpServerConfig> {
        self.servers.get(server_id).filter(|server| server.enabled)
    }

    /// The agent's enabled MCP servers, in the order of its prompt.
    #[must_use]
    pub fn servers_of(&self, agent: &AgentConfig) -> Vec<&McpServerConfig> {
        agent
            .mcp_servers
            .iter()
            .filter_map(|id| self.server(id))
            .collect()
    }

    /// A provider by its name, whether it can be asked or not.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&ProviderConfig> {
        self.providers.get(name)
    }

    /// Whether any provider can be asked.
    #[must_use]
    pub fn has_provider(&self) -> bool {
        self.default_provider()
            .is_some_and(|provider| provider.available)
    }

    /// The provider for whom nothing names one: the configured default, else the first that
    /// can be asked, those of the file before the built-in gemini, openai, xai, anthropic,
    /// ollama.
    #[must_use]
    pub fn default_provider(&self) -> Option<&ProviderConfig> {
        if let Some(name) = &self.default_llm_provider {
            return self.provider(name);
        }
        self.provider_order
            .iter()
            .filter_map(|name| self.provider(name))
            .find(|provider| provider.available)
    }

    /// Agents that a stage may dispatch: those that it lists, else those of the agents that run it.
    #[must_use]
    pub fn sub_agents_of<'c>(&'c self, stage: &'c StageDefinition) -> Vec<&'c str> {
        let Some(kind) = stage.kind.as_agent() else {
            return Vec::new();
        };
        let mut names: Vec<&str> = match &kind.sub_agents {
            Some(own) => own.iter().map(String::as_str).collect(),
            None => {
                let agents = stage.agents().into_iter();
                let agents = agents.filter_map(|name| self.agent(name));
                agents
                    .flat_map(|agent| agent.sub_agents.iter().map(String::as_str))
                    .collect()
            }
        };
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    /// Whom a stage asks: the provider named by the stage, its agent, the chain or the
    /// default, followed by its fallbacks in order. Providers that can't be asked for want
    /// of a key are left out, so an empty answer means that the stage can't run, if it asks a model at all.
    #[must_use]
    pub fn provider_for(
        &self,
        stage: &StageDefinition,
        chain: &ChainDefinition,
    ) -> Vec<&ProviderConfig> {
        if !stage.kind.asks_model() {
            return Vec::new();
        }
        let agent = stage.agent().and_then(|agent| self.agent(agent));
        let named = stage
            .kind
            .llm_provider()
            .or(agent.and_then(|agent| agent.llm_provider.as_deref()))
            .or(chain.llm_provider.as_deref());
        let Some(first) = named.map_or_else(|| self.default_provider(), |name| self.provider(name))
        else {
            return Vec::new();
        };
        let options = stage.kind.model_options();
        let options = Self::model_options(options, agent);
        let mut asked = self.with_fallbacks(first, &options);
        asked.retain(|provider| provider.available);
        asked
    }

    /// How a stage asks its model: as it says itself, else as its agent does.
    #[must_use]
    pub fn model_options(
        stage: Option<&ModelOptions>,
        agent: Option<&AgentConfig>,
    ) -> ModelOptions {
        let none = ModelOptions::default();
        let agent = agent.map_or(&none, |agent| &agent.model_options);
        stage.unwrap_or(&none).or(agent)
    }

    /// A provider, and those that are asked when it fails: its own fallbacks, or what a stage or an agent names in their place.
    #[must_use]
    pub fn with_fallbacks<'c>(
        &'c self,
        first: &'c ProviderConfig,
        options: &ModelOptions,
    ) -> Vec<&'c ProviderConfig> {
        let fallbacks = options.fallbacks.as_ref().unwrap_or(&first.fallbacks);
        let fallbacks = fallbacks.iter().filter(|name| **name != first.name);
        let fallbacks = fallbacks.filter_map(|name| self.provider(name));
        std::iter::once(first).chain(fallbacks).collect()
    }

    /// Providers that an agent's stages may offer its tools natively: those of strategy `regular`. An agent in no chain is asked
    /// as it says itself.
    #[must_use]
    pub fn native_providers_of(&self, agent: &AgentConfig) -> Vec<&ProviderConfig> {
        let is_native = |stage: &StageDefinition| {
            let strategy = stage
                .kind
                .as_agent()
                .and_then(|kind| kind.iteration_strategy);
            let strategy = strategy.or(agent.iteration_strategy);
            strategy.unwrap_or(self.default_strategy) == IterationStrategy::Regular
        };
        let stages = self.chains.values().flat_map(|chain| {
            let stages = chain.stages.iter().map(move |stage| (chain, stage));
            stages.filter(|(_, stage)| stage.agents().contains(&agent.name.as_str()))
        });
        let mut stages = stages.peekable();
        if stages.peek().is_none() && is_native(&StageDefinition::new("", &agent.name)) {
            let named = agent.llm_provider.as_deref();
            let first = named.map_or_else(|| self.default_provider(), |name| self.provider(name));
            let asked = first.map(|first| self.with_fallbacks(first, &agent.model_options));
            return asked.unwrap_or_default();
        }
        let stages = stages.filter(|(_, stage)| is_native(stage));
        stages
            .flat_map(|(chain, stage)| self.provider_for(stage, chain))
            .collect()
    }

    /// What a provider's tokens cost: its own price, else its model's, else the catalogue's.
    #[must_use]
    pub fn price_of(&self, provider: &ProviderConfig) -> Option<Price> {
        self.own_price(provider)
            .or_else(|| Some(self.catalogue_price_of(provider)?.price))
    }

    /// What a provider's tokens cost by the configuration.
    fn own_price(&self, provider: &ProviderConfig) -> Option<Price> {
        provider
            .price
            .or_else(|| self.prices.get(&provider.model).copied())
    }

    /// The catalogue's price of a provider that has none in the configuration. Another endpoint than the vendor's has
    /// prices of its own, which nobody knows.
    #[must_use]
    pub fn catalogue_price_of(&self, provider: &ProviderConfig) -> Option<&'static CataloguePrice> {
        let is_vendors = provider.base_url.is_none() && self.own_price(provider).is_none();
        is_vendors
            .then(|| catalogue_price(provider.kind.priced_as(), &provider.model))
            .flatten()
    }

    /// What each webhook source refuses, for people ([`WebhookConfig::refusal_note`]).
    pub fn refusal_notes(&self) -> impl Iterator<Item = String> {
        let notes = self.webhooks.values();
        notes.filter_map(|source| source.refusal_note(self.alert_types().into_iter()))
    }

    /// Whether a webhook source reports changes.
    #[must_use]
    pub fn records_changes(&self) -> bool {
        self.webhooks.values().any(|source| source.change.is_some())
    }

    /// A webhook source by the name in its path.
    #[must_use]
    pub fn webhook(&self, source: &str) -> Option<&WebhookConfig> {
        self.webhooks.get(source)
    }
}
