//! The part of the configuration that `ingest-api` needs: chains by alert type, webhook sources, providers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use tarsy_boot::Process;
use tarsy_config::{
    AlertMasker, Approvals, Config, Retention, RunbookConfig, StagePlans, WebhookConfig,
};
use tarsy_intake::{Chain, Chains};
use tarsy_masking::{Masker, MaskingConfig};
use tarsy_model::{KNOWLEDGE_CHAIN, chain_queue};
use tarsy_store::deliveries::DELIVERY_QUEUE;
use tokio::sync::watch;

use crate::alerts::runbook_check::RunbookCheck;
use crate::fleet::configuration::ConfigView;
use crate::fleet::upstreams::Upstreams;
use crate::problem::Problem;
use crate::slack::{SlackApps, SlackDesk, slack_apps};

/// The part of the configuration that `ingest-api` needs. A reload replaces it as a whole.
#[derive(Clone, Debug)]
pub struct Catalog {
    config_hash: String,
    /// Chains by alert type.
    pub(crate) chains: Chains,
    /// Labels of all chains.
    labels: BTreeSet<String>,
    /// MCP servers of each agent that a chain uses.
    agent_servers: BTreeMap<String, Vec<String>>,
    /// Maximum number of iterations of each agent.
    iteration_limits: BTreeMap<String, u32>,
    /// Chain of questions to the knowledge store.
    knowledge: Option<Chain>,
    webhooks: BTreeMap<String, WebhookConfig>,
    slack_apps: SlackApps,
    providers: Vec<String>,
    /// Queues that the configuration's chains use.
    queues: Vec<String>,
    /// Webhook targets that are notified of cancelled sessions, with their filters.
    cancellation_targets: Vec<(String, Value)>,
    retention: Retention,
    approvals: Approvals,
    runbooks: RunbookConfig,
    alert_masking: MaskingConfig,
    plans: StagePlans,
    view: ConfigView,
    upstreams: Upstreams,
    /// Notes that name what each webhook source rejects; logged at the start.
    pub(crate) refusal_notes: Vec<String>,
    /// Masker of alert texts in responses.
    pub(crate) alert_masker: AlertMasker,
}

impl Catalog {
    /// Extracts from the configuration what `ingest-api` needs.
    ///
    /// # Errors
    ///
    /// If a chain can't be serialised, which does not happen with configured chains.
    pub fn from_config(config: &Config) -> Result<Self, serde_json::Error> {
        let plans = config.stage_plans();
        let alert_types = config.alert_types().into_iter();
        let chains = alert_types.filter_map(|alert_type| config.chain_for(alert_type));
        let labels = chains.flat_map(|chain| chain.labels.iter().cloned());
        Ok(Self {
            config_hash: config.hash.clone(),
            chains: Chains::from_config(config)?,
            labels: labels.collect(),
            agent_servers: agent_servers(config),
            iteration_limits: config
                .agents
                .values()
                .map(|agent| (agent.name.clone(), agent.limits.max_iterations))
                .collect(),
            knowledge: knowledge(config, &plans)?,
            webhooks: config.webhooks.clone(),
            slack_apps: slack_apps(config),
            providers: askable(config),
            queues: queues(config),
            cancellation_targets: cancellation_targets(config),
            retention: config.retention,
            approvals: config.approvals.clone(),
            runbooks: config.runbooks.clone(),
            alert_masking: config.alert_masking.clone(),
            view: ConfigView::from_config(config)?,
            plans,
            upstreams: Upstreams::from_config(config),
            refusal_notes: config.refusal_notes().collect(),
            alert_masker: AlertMasker::from_config(config),
        })
    }

    /// Returns the labels that the chains can give their sessions.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.labels.iter().cloned().collect()
    }

    /// Returns a receiver of this catalog, which never changes.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Arc<Self>> {
        watch::channel(Arc::new(self)).1
    }

    /// Returns a receiver of a process's catalog, which changes with each reload of its configuration.
    ///
    /// # Errors
    ///
    /// The same as those of [`Catalog::from_config`].
    pub fn follow(process: &mut Process) -> Result<watch::Receiver<Arc<Self>>, serde_json::Error> {
        let (catalogs, current) = watch::channel(Arc::new(Self::from_config(&process.config)?));
        process.on_reload(move |config| {
            let catalog = Self::from_config(config)?;
            catalog.masker()?;
            RunbookCheck::new(&catalog.runbooks)?;
            let (catalogs, catalog) = (catalogs.clone(), Arc::new(catalog));
            Ok(Box::new(move || {
                catalogs.send_replace(catalog);
            }))
        });
        Ok(current)
    }

    /// Returns the chain of questions to the knowledge store; `None` if no store is configured.
    #[must_use]
    pub const fn knowledge(&self) -> Option<&Chain> {
        self.knowledge.as_ref()
    }

    /// Returns the names of all agents that a chain uses, sorted.
    pub(crate) fn agent_names(&self) -> impl Iterator<Item = String> {
        self.agent_servers.keys().cloned()
    }

    /// Returns the MCP servers of an agent; empty if it is no longer configured.
    #[must_use]
    pub(crate) fn servers_of(&self, agent: &str) -> &[String] {
        self.agent_servers.get(agent).map_or(&[], Vec::as_slice)
    }

    /// Returns the maximum number of iterations of an agent; `None` if it is not configured.
    #[must_use]
    pub(crate) fn iteration_limit(&self, agent: &str) -> Option<u32> {
        self.iteration_limits.get(agent).copied()
    }

    /// Returns a webhook source by the name in its path.
    ///
    /// # Errors
    ///
    /// [`Problem::UnknownWebhookSource`] with the known ones.
    pub fn webhook(&self, source: &str) -> Result<&WebhookConfig, Problem> {
        self.webhooks
            .get(source)
            .ok_or_else(|| Problem::UnknownWebhookSource {
                source_name: source.to_owned(),
                known: self.webhooks.keys().cloned().collect(),
            })
    }

    /// Returns the Slack app of a notification target, if its users may decide approvals.
    ///
    /// # Errors
    ///
    /// [`Problem::UnknownWebhookSource`] with the known ones.
    pub(crate) fn slack_app(&self, target: &str) -> Result<&SlackDesk, Problem> {
        let desk = self.slack_apps.get(target);
        desk.map(AsRef::as_ref)
            .ok_or_else(|| Problem::UnknownWebhookSource {
                source_name: target.to_owned(),
                known: self.slack_apps.keys().cloned().collect(),
            })
    }

    /// Returns the metric label of requests to `path`: a configured source, `alerts` or `unknown`.
    #[must_use]
    pub(crate) fn source_of(&self, path: &str) -> &str {
        match path.strip_prefix("/webhooks/") {
            Some(name) => self
                .webhooks
                .get(name)
                .map_or("unknown", |webhook| &webhook.source),
            None => "alerts",
        }
    }

    /// Creates the masker of stored alert bodies.
    ///
    /// # Errors
    ///
    /// Text that names the invalid patterns. A loaded configuration has none.
    pub(crate) fn masker(&self) -> Result<Masker, String> {
        Masker::new(&self.alert_masking).map_err(|problems| {
            let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
            problems.join("; ")
        })
    }

    /// Retention of ended sessions in days.
    #[must_use]
    pub const fn retention_days(&self) -> u64 {
        self.retention.history.as_secs() / 86_400
    }

    #[must_use]
    pub(crate) const fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    #[must_use]
    pub(crate) const fn retention(&self) -> &Retention {
        &self.retention
    }

    #[must_use]
    pub(crate) const fn runbooks(&self) -> &RunbookConfig {
        &self.runbooks
    }

    /// Whether a provider with this name is available.
    #[must_use]
    pub fn knows_provider(&self, name: &str) -> bool {
        self.providers.iter().any(|known| known == name)
    }

    /// Available providers, sorted.
    #[must_use]
    pub fn provider_names(&self) -> &[String] {
        &self.providers
    }

    /// Queues of the configured chains, whether or not a worker serves them.
    #[must_use]
    pub fn queues(&self) -> &[String] {
        &self.queues
    }

    /// Webhook targets of cancelled sessions, with their filters (`NewDelivery::filter`).
    #[must_use]
    pub fn cancellation_targets(&self) -> &[(String, Value)] {
        &self.cancellation_targets
    }

    /// Plans by which the configured agents run stages.
    #[must_use]
    pub(crate) const fn plans(&self) -> &StagePlans {
        &self.plans
    }

    /// SHA-256 of the configuration file.
    #[must_use]
    pub(crate) fn config_hash(&self) -> &str {
        &self.config_hash
    }

    /// The configuration without secrets.
    #[must_use]
    pub(crate) const fn view(&self) -> &ConfigView {
        &self.view
    }

    /// Providers and MCP servers without their calls.
    #[must_use]
    pub(crate) const fn upstreams(&self) -> &Upstreams {
        &self.upstreams
    }
}

fn knowledge(config: &Config, plans: &StagePlans) -> Result<Option<Chain>, serde_json::Error> {
    let chain = config.knowledge.as_ref();
    let Some(chain) = chain.and_then(|_| config.chain(KNOWLEDGE_CHAIN)) else {
        return Ok(None);
    };
    Chain::new(config, plans, chain).map(Some)
}

fn agent_servers(config: &Config) -> BTreeMap<String, Vec<String>> {
    let stages = config.chains.values().flat_map(|chain| &chain.stages);
    let used = stages.filter_map(|stage| config.agents.get(stage.agent()?));
    used.map(|agent| (agent.name.clone(), agent.mcp_servers.clone()))
        .collect()
}

fn askable(config: &Config) -> Vec<String> {
    let available = config.providers.values().filter(|p| p.available);
    available.map(|provider| provider.name.clone()).collect()
}

fn queues(config: &Config) -> Vec<String> {
    let stages = config.chains.values().flat_map(|chain| &chain.stages);
    // The pools that a template produces are known only once alerts have arrived.
    let named = stages.filter(|stage| !stage.pool.is_template());
    let mut queues: Vec<String> = named.map(|stage| stage.pool.queue()).collect();
    queues.extend([chain_queue().to_owned(), DELIVERY_QUEUE.to_owned()]);
    queues.sort_unstable();
    queues.dedup();
    queues
}

fn cancellation_targets(config: &Config) -> Vec<(String, Value)> {
    let targets = config.notifications.values().filter(|target| {
        target.is_usable() && target.events.iter().any(|event| event == "cancelled")
    });
    targets
        .map(|target| (target.name.clone(), target.filter()))
        .collect()
}
