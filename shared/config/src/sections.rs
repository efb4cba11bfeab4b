//! The top-level sections of a configuration file.

use std::collections::BTreeMap;

use tarsy_chain::{ChainDefinition, Hold};
use tarsy_model::{IterationStrategy, KNOWLEDGE_CHAIN, Suppression};

use crate::approvals::Approvals;
use crate::chain::ChainFields;
use crate::context::{Context, NamePosition};
use crate::document::DocumentFields;
use crate::fields::{Fields, ROOT};
use crate::masking::MaskingFields;
use crate::model_options::FallbackLists;
use crate::problem::{Position, Problem, Problems};
use crate::provider::ProviderConfig;
use crate::references::{NameKind, References};
use crate::settings::canonical_level;
use crate::yaml::{self, Node};
use crate::{
    AgentConfig, AgentLimits, KnowledgeConfig, MaskingConfig, McpServerConfig, NotificationConfig,
    Policy, Price, Retention, RunbookConfig, SpendingLimit, WebhookConfig, chain, hold, knowledge,
    limits, masking, policy, spending, suppression,
};

/// The keys of the file.
const KEYS: DocumentFields = DocumentFields::FIELDS;

/// Named definitions, first those of the built-in source, then those of the file.
#[derive(Default)]
pub(crate) struct Definitions {
    pub(crate) servers: BTreeMap<String, McpServerConfig>,
    pub(crate) agents: BTreeMap<String, AgentConfig>,
    pub(crate) chains: BTreeMap<String, ChainDefinition>,
    /// Daily spending limits of chains.
    pub(crate) chain_spending: BTreeMap<String, SpendingLimit>,
    /// Which alerts chains hold until a person approves.
    pub(crate) chain_holds: BTreeMap<String, Hold>,
    /// Which repeated alerts chains suppress.
    pub(crate) chain_suppressions: BTreeMap<String, Suppression>,
    pub(crate) providers: BTreeMap<String, ProviderConfig>,
    pub(crate) provider_order: Vec<String>,
    pub(crate) fallback_lists: FallbackLists,
    pub(crate) webhooks: BTreeMap<String, WebhookConfig>,
    pub(crate) notifications: BTreeMap<String, NotificationConfig>,
    /// Positions of agents, for warnings.
    agent_positions: BTreeMap<String, Position>,
}

/// Sections that occur only once.
pub(crate) struct Shared {
    pub(crate) default_llm_provider: Option<String>,
    pub(crate) summary_provider: Option<String>,
    pub(crate) default_strategy: IterationStrategy,
    pub(crate) limits: AgentLimits,
    pub(crate) alert_masking: MaskingConfig,
    pub(crate) guardrails: Vec<Policy>,
    pub(crate) knowledge: Option<KnowledgeConfig>,
    pub(crate) prices: BTreeMap<String, Price>,
    /// Daily spending limit of the whole fleet.
    pub(crate) spending: Option<SpendingLimit>,
    pub(crate) retention: Retention,
    pub(crate) approvals: Approvals,
    pub(crate) runbooks: RunbookConfig,
    pub(crate) log_level: Option<&'static str>,
}

impl Definitions {
    /// Reads every section of one source.
    pub(crate) fn read_source(&mut self, context: &Context<'_>) -> Result<Shared, Problems> {
        match yaml::parse(context.source) {
            Ok(root) => Ok(self.read(context, root.as_ref())),
            Err(mistake) => {
                context.report(mistake.at, mistake.message, mistake.hint.map(str::to_owned));
                Err(context.problems())
            }
        }
    }

    /// Reads every section of a document. An empty document is valid.
    fn read(&mut self, context: &Context<'_>, root: Option<&Node>) -> Shared {
        let usual = Shared {
            default_llm_provider: None,
            summary_provider: None,
            default_strategy: IterationStrategy::default(),
            limits: AgentLimits::default(),
            alert_masking: MaskingConfig::default(),
            guardrails: policy::usual(),
            knowledge: None,
            prices: BTreeMap::new(),
            spending: None,
            retention: Retention::default(),
            approvals: Approvals::default(),
            runbooks: RunbookConfig::usual(context.env),
            log_level: None,
        };
        self.webhooks
            .entry("alertmanager".to_owned())
            .or_insert_with(WebhookConfig::alertmanager);
        let start = Position { line: 1, column: 1 };
        let Some(fields) = root
            .and_then(|root| Fields::new::<DocumentFields>(context, ROOT.to_owned(), start, root))
        else {
            return usual;
        };
        let limits = fields
            .get(KEYS.limits)
            .map_or(usual.limits, |section| limits::read(&section, usual.limits));
        self.read_servers(&fields);
        self.read_agents(&fields, limits);
        self.read_chains(&fields);
        self.read_providers(&fields);
        self.fallback_lists.read(&fields, KEYS.fallback_lists);
        self.read_webhooks(&fields);
        self.read_notifications(&fields);
        let prices = fields.get(KEYS.prices).into_iter().flatten();
        let prices = prices
            .filter_map(|(model, section)| Some((model.text.clone(), Price::read(&section?)?)))
            .collect();
        Shared {
            default_llm_provider: fields.reference(KEYS.default_llm_provider, NameKind::Provider),
            summary_provider: fields.reference(KEYS.summary_provider, NameKind::Provider),
            default_strategy: fields.get(KEYS.default_strategy).unwrap_or_default(),
            limits,
            alert_masking: fields
                .get(KEYS.alert_masking)
                .map_or(usual.alert_masking, |section| {
                    masking::read(&section, MaskingFields::FIELDS)
                }),
            guardrails: policy::read(&fields, KEYS.guardrails).unwrap_or(usual.guardrails),
            knowledge: self.read_knowledge(&fields),
            prices,
            spending: spending::read(&fields, KEYS.spending),
            retention: fields
                .get(KEYS.retention)
                .map_or(usual.retention, |section| Retention::read(&section)),
            approvals: fields
                .get(KEYS.approvals)
                .map_or(usual.approvals, |section| Approvals::read(&section)),
            runbooks: fields
                .get(KEYS.runbooks)
                .map_or(usual.runbooks, |section| RunbookConfig::read(&section)),
            log_level: fields.get(KEYS.log_level).map(canonical_level),
        }
    }

    fn read_servers(&mut self, fields: &Fields<'_>) {
        for (key, section) in fields.get(KEYS.mcp_servers).into_iter().flatten() {
            match section {
                Some(section) => {
                    if let Some(server) = McpServerConfig::read(&key.text, &section) {
                        self.servers.insert(key.text.clone(), server);
                    }
                }
                // A name without a body refers to the built-in server, unchanged.
                None => fields.mention_name(NameKind::Server, &key.text, key.at),
            }
        }
    }

    fn read_agents(&mut self, fields: &Fields<'_>, limits: AgentLimits) {
        for (key, section) in fields.get(KEYS.agents).into_iter().flatten() {
            let Some(section) = section else {
                fields.mention_name(NameKind::Agent, &key.text, key.at);
                continue;
            };
            let (agent, alert_types) = AgentConfig::read(&key.text, &section, limits);
            self.agents.insert(key.text.clone(), agent);
            self.agent_positions.insert(key.text.clone(), key.at);
            if !alert_types.is_empty() {
                let chain = chain::of_agent(&key.text, &section, &alert_types);
                self.insert_chain(chain);
            }
        }
    }

    fn read_chains(&mut self, fields: &Fields<'_>) {
        for (key, section) in fields.get(KEYS.agent_chains).into_iter().flatten() {
            let Some(section) = section else {
                fields.mention_name(NameKind::Chain, &key.text, key.at);
                continue;
            };
            if let Some(limit) = spending::read(&section, ChainFields::FIELDS.spending) {
                self.chain_spending.insert(key.text.clone(), limit);
            }
            if let Some(suppression) = suppression::read(&section, ChainFields::FIELDS.suppress) {
                self.chain_suppressions
                    .insert(key.text.clone(), suppression);
            }
            let hold = hold::read(&section, ChainFields::FIELDS.hold);
            let Some(chain) = chain::read(&key.text, &section) else {
                continue;
            };
            if let Some(hold) = hold {
                hold::check_names(&section, chain.stages.iter().map(|s| s.name.as_str()));
                self.chain_holds.insert(key.text.clone(), hold);
            }
            self.insert_chain(chain);
        }
    }

    /// Adds a chain. Its alert types are removed from the chain that handled them before. A chain that is left without
    /// any is removed.
    fn insert_chain(&mut self, chain: ChainDefinition) {
        self.chains.retain(|_, other| {
            let before = other.alert_types.len();
            other
                .alert_types
                .retain(|kind| !chain.alert_types.contains(kind));
            other.alert_types.len() == before || !other.alert_types.is_empty()
        });
        self.chains.insert(chain.chain_id.clone(), chain);
    }

    /// Reads the section `knowledge`. Reports a chain of the file that has the name of the built-in chain.
    fn read_knowledge(&self, fields: &Fields<'_>) -> Option<KnowledgeConfig> {
        let section = fields.get(KEYS.knowledge)?;
        if knowledge::is_taken(self.chains.keys()) {
            section.problem_here(
                format!("`{KNOWLEDGE_CHAIN}` is the chain of questions to the knowledge store"),
                "choose another name for the chain in `agent_chains`",
            );
        }
        KnowledgeConfig::read(&section)
    }

    /// Adds the built-in chain of the section `knowledge`.
    pub(crate) fn add_knowledge_chain(
        &mut self,
        context: &Context<'_>,
        config: &KnowledgeConfig,
    ) -> Result<(), Problems> {
        let mut built_in = Self::default();
        built_in.read_source(context)?;
        for (name, mut chain) in built_in.chains {
            config.complete(&mut chain);
            self.chains.insert(name, chain);
        }
        Ok(())
    }

    fn read_providers(&mut self, fields: &Fields<'_>) {
        let mut named = Vec::new();
        for (key, section) in fields.get(KEYS.llm_providers).into_iter().flatten() {
            let Some(section) = section else {
                fields.mention_name(NameKind::Provider, &key.text, key.at);
                continue;
            };
            if let Some(provider) =
                ProviderConfig::read(&key.text, &section, self.providers.get(&key.text))
            {
                self.providers.insert(key.text.clone(), provider);
            }
            named.push(key.text.clone());
        }
        self.provider_order.retain(|name| !named.contains(name));
        self.provider_order.splice(0..0, named);
    }

    fn read_webhooks(&mut self, fields: &Fields<'_>) {
        for (key, section) in fields.get(KEYS.webhooks).into_iter().flatten() {
            let Some(section) = section else { continue };
            if let Some(webhook) = WebhookConfig::read(&key.text, &section) {
                self.webhooks.insert(key.text.clone(), webhook);
            }
        }
    }

    fn read_notifications(&mut self, fields: &Fields<'_>) {
        for (key, section) in fields.get(KEYS.notifications).into_iter().flatten() {
            let Some(section) = section else { continue };
            if let Some(target) = NotificationConfig::read(&key.text, &section) {
                self.notifications.insert(key.text.clone(), target);
            }
        }
    }

    /// Checks the fallback lists, and replaces them by the providers that they stand for.
    pub(crate) fn expand_fallbacks(&mut self, context: &Context<'_>) {
        let lists = &self.fallback_lists;
        lists.check(context, |name| self.providers.contains_key(name));
        for provider in self.providers.values_mut() {
            let mut expanded = lists.expanded(&provider.fallbacks);
            provider.names_lists = expanded != provider.fallbacks;
            expanded.retain(|name| *name != provider.name);
            provider.fallbacks = expanded;
        }
        let stages = self.chains.values_mut().flat_map(|chain| &mut chain.stages);
        let stages = stages.filter_map(|stage| stage.kind.model_options_mut());
        let agents = self
            .agents
            .values_mut()
            .map(|agent| &mut agent.model_options);
        for options in agents.chain(stages) {
            options.fallbacks = options.fallbacks.take().map(|names| lists.expanded(&names));
        }
    }

    /// Defines the built-in providers, so that they can be referred to.
    pub(crate) fn define_providers(&self, references: &References) {
        for name in self.providers.keys() {
            let place = NamePosition {
                file: String::new(),
                at: Position::default(),
                built_in: true,
                owner: String::new(),
                written: None,
            };
            references.define_unless_known(NameKind::Provider, name, place);
        }
    }

    /// Returns warnings: oddities that do not prevent the start.
    pub(crate) fn warnings(&self, file: &str) -> Vec<Problem> {
        let disabled = |id: &&String| self.servers.get(*id).is_some_and(|server| !server.enabled);
        let warn = |agent: &AgentConfig, server: &String| Problem {
            file: file.to_owned(),
            at: self
                .agent_positions
                .get(&agent.name)
                .copied()
                .unwrap_or_default(),
            message: format!(
                "agent `{}` uses the MCP server `{server}`, which is disabled",
                agent.name
            ),
            hint: Some("its tools are not available".to_owned()),
            snippet: None,
        };
        let agents = self.agents.values();
        agents
            .flat_map(|agent| {
                agent
                    .mcp_servers
                    .iter()
                    .filter(disabled)
                    .map(move |id| warn(agent, id))
            })
            .collect()
    }
}
