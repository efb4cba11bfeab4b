//! The loaded configuration: checked, and with templates and defaults filled in.

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
/// Its serialized form is for people: secrets appear as their templates or not at all.
#[derive(Clone, Debug, Serialize)]
pub struct Config {
    /// Source of the configuration: the file's name, or `built-in`.
    pub source: String,
    /// SHA-256 of the file, in hex, as `sha256sum` prints it. For the built-in definitions it is the hash of an empty
    /// file. The environment does not affect it, so processes of all roles have the same hash.
    #[serde(skip)]
    pub hash: String,
    /// Log level of every process that does not set `RUST_LOG`. It overrides `LOG_LEVEL`.
    pub log_level: Option<&'static str>,
    /// MCP servers by id, including disabled ones.
    pub servers: BTreeMap<String, McpServerConfig>,
    /// Agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Chains by id.
    pub chains: BTreeMap<String, ChainDefinition>,
    /// Providers by name, including those without a key.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The provider that is used if no stage, agent or chain names one, as configured.
    pub default_llm_provider: Option<String>,
    /// The provider that summarises tool results longer than a page. Default: results are not summarised.
    pub summary_provider: Option<String>,
    /// The strategy that is used if neither stage nor agent names one.
    pub default_strategy: IterationStrategy,
    /// Webhook sources by the name in their path.
    pub webhooks: BTreeMap<String, WebhookConfig>,
    /// Targets that are notified of sessions, by name.
    pub notifications: BTreeMap<String, NotificationConfig>,
    /// Limits of agents that set none.
    pub limits: AgentLimits,
    /// Masking of alert data before a model sees it.
    pub alert_masking: MaskingConfig,
    /// Policies for the input and output of models, applied where a stage calls `guard`.
    pub guardrails: Vec<Policy>,
    /// Configuration of the chain that answers questions to the knowledge store; `None`: there is no such chain.
    pub knowledge: Option<KnowledgeConfig>,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// Daily spending limits.
    pub spending: SpendingLimits,
    /// Which alerts wait for a person's approval before they are investigated, by chain. Alerts of other chains don't
    /// wait.
    pub holds: BTreeMap<String, Hold>,
    /// Which repeated alerts are suppressed, by chain. Alerts of other chains are not. Read from the current
    /// configuration.
    pub suppressions: BTreeMap<String, Suppression>,
    /// Retention periods.
    pub retention: Retention,
    /// Rules for who may approve.
    pub approvals: Approvals,
    /// Sources that runbooks may be fetched from.
    pub runbooks: RunbookConfig,
    /// Warnings: oddities that do not prevent the start. Log them once.
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
    /// Returns the chain that investigates an alert type.
    #[must_use]
    pub fn chain_for(&self, alert_type: &str) -> Option<&ChainDefinition> {
        self.chains.get(self.chain_of.get(alert_type)?)
    }

    /// Returns every alert type that has a chain, sorted.
    #[must_use]
    pub fn alert_types(&self) -> Vec<&str> {
        self.chain_of.keys().map(String::as_str).collect()
    }

    /// Returns a chain by its id.
    #[must_use]
    pub fn chain(&self, chain_id: &str) -> Option<&ChainDefinition> {
        self.chains.get(chain_id)
    }

    /// Returns an agent by its bare name or by `ConfigurableAgent:<name>`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&AgentConfig> {
        self.agents.get(bare_name(name))
    }

    /// Returns an enabled MCP server by its id.
    #[must_use]
    pub fn server(&self, server_id: &str) -> Option<&McpServerConfig> {
        self.servers.get(server_id).filter(|server| server.enabled)
    }

    /// Returns the agent's enabled MCP servers, in the order of its prompt.
    #[must_use]
    pub fn servers_of(&self, agent: &AgentConfig) -> Vec<&McpServerConfig> {
        agent
            .mcp_servers
            .iter()
            .filter_map(|id| self.server(id))
            .collect()
    }

    /// Returns a provider by its name, even if it can't be asked.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&ProviderConfig> {
        self.providers.get(name)
    }

    /// Whether the default provider can be asked.
    #[must_use]
    pub fn has_provider(&self) -> bool {
        self.default_provider()
            .is_some_and(|provider| provider.available)
    }

    /// Returns the provider that is used if none is named. This is the configured default, or the first provider that
    /// can be asked. Those of the file come before the built-in ones: gemini, openai, xai, anthropic, ollama.
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

    /// Returns the agents that a stage may dispatch: those that it lists, or else those of the agents that run it.
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

    /// Returns the providers for a stage. The first one is named by the stage, its agent or the chain, or else is the
    /// default. Its fallbacks follow in order. Providers without a key are left out. So if a stage that asks a model
    /// gets an empty list, it can't run.
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
        let mut providers = self.with_fallbacks(first, &options);
        providers.retain(|provider| provider.available);
        providers
    }

    /// Returns the options for the model calls of a stage: its own, completed with those of its agent.
    #[must_use]
    pub fn model_options(
        stage: Option<&ModelOptions>,
        agent: Option<&AgentConfig>,
    ) -> ModelOptions {
        let none = ModelOptions::default();
        let agent = agent.map_or(&none, |agent| &agent.model_options);
        stage.unwrap_or(&none).or(agent)
    }

    /// Returns a provider, followed by those that are asked if it fails: its own fallbacks, or those that a stage or an
    /// agent names in their place.
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

    /// Returns the providers that an agent's stages of strategy `regular` may offer its tools to natively. For an agent
    /// that is in no chain, its own strategy and provider count.
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
            let providers = first.map(|first| self.with_fallbacks(first, &agent.model_options));
            return providers.unwrap_or_default();
        }
        let stages = stages.filter(|(_, stage)| is_native(stage));
        stages
            .flat_map(|(chain, stage)| self.provider_for(stage, chain))
            .collect()
    }

    /// Returns the price of a provider's tokens: its own price, or else its model's, or else the catalogue's.
    #[must_use]
    pub fn price_of(&self, provider: &ProviderConfig) -> Option<Price> {
        self.own_price(provider)
            .or_else(|| Some(self.catalogue_price_of(provider)?.price))
    }

    /// Returns the price of a provider's tokens that the configuration sets.
    fn own_price(&self, provider: &ProviderConfig) -> Option<Price> {
        provider
            .price
            .or_else(|| self.prices.get(&provider.model).copied())
    }

    /// Returns the catalogue's price for a provider without a price in the configuration. Returns `None` if its
    /// endpoint is not the vendor's, because such an endpoint has prices of its own, which are unknown.
    #[must_use]
    pub fn catalogue_price_of(&self, provider: &ProviderConfig) -> Option<&'static CataloguePrice> {
        let is_vendors = provider.base_url.is_none() && self.own_price(provider).is_none();
        is_vendors
            .then(|| catalogue_price(provider.kind.priced_as(), &provider.model))
            .flatten()
    }

    /// Returns a note for people on each webhook source that refuses alerts ([`WebhookConfig::refusal_note`]).
    pub fn refusal_notes(&self) -> impl Iterator<Item = String> {
        let notes = self.webhooks.values();
        notes.filter_map(|source| source.refusal_note(self.alert_types().into_iter()))
    }

    /// Whether any webhook source reports changes.
    #[must_use]
    pub fn records_changes(&self) -> bool {
        self.webhooks.values().any(|source| source.change.is_some())
    }

    /// Returns a webhook source by the name in its path.
    #[must_use]
    pub fn webhook(&self, source: &str) -> Option<&WebhookConfig> {
        self.webhooks.get(source)
    }
}
