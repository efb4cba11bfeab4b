//! The whole document.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::agents::{Agent, Chain, Limits, Spending, Strategy};
use super::knowledge::{Knowledge, Policy};
use super::providers::{Price, Provider};
use super::runbooks::{Approvals, Retention, Runbooks};
use super::scalars::{Entries, Text, Texts, Word, words};
use super::servers::{Masking, Server};
use super::webhooks::{Notification, Webhook};

words!(Level, crate::settings::LEVELS);

/// Agents, chains, MCP servers and LLM providers of a tarsy fleet.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "tarsy agents.yaml")]
pub(super) struct Document {
    /// MCP servers by name.
    mcp_servers: Option<Entries<Server>>,
    /// Agents by name.
    agents: Option<Entries<Agent>>,
    /// Chains of stages by name.
    agent_chains: Option<Entries<Chain>>,
    /// LLM providers by name. `gemini`, `openai`, `xai`, `anthropic` and `ollama` are built in.
    llm_providers: Option<Entries<Provider>>,
    /// Lists of LLM providers, by the name under which `fallbacks` name them. An entry is a provider or another list.
    fallback_lists: Option<BTreeMap<String, Texts>>,
    /// Webhook sources by the name in their path, `/webhooks/{source}`.
    webhooks: Option<Entries<Webhook>>,
    /// Notification targets by name.
    notifications: Option<Entries<Notification>>,
    /// Prices in US dollars for a million tokens, by model.
    prices: Option<Entries<Price>>,
    /// What all chains together may spend. Default: unlimited.
    spending: Option<Spending>,
    /// Provider for stages, agents and chains that name none. `DEFAULT_LLM_PROVIDER` overrides it.
    default_llm_provider: Option<Text>,
    /// Provider that summarises tool results longer than `page_chars`; a cheap one. Default: none, the first page is shown.
    summary_provider: Option<Text>,
    /// Strategy for stages and agents that name none. Default: react.
    default_strategy: Option<Word<Strategy>>,
    /// Log level of every process that sets no `RUST_LOG`. Overrides `LOG_LEVEL`; a reload changes it.
    log_level: Option<Word<Level>>,
    /// Limits of every stage. An agent can set its own.
    limits: Option<Limits>,
    /// What is masked in alert data before a model sees it. Default: the group `security`.
    alert_masking: Option<Masking>,
    /// Policies over what a model is told and what it says, where a stage calls `guard`. Default: secrets and addresses of
    /// machines are redacted.
    guardrails: Option<Vec<Policy>>,
    /// Turns on questions to the knowledge store.
    knowledge: Option<Knowledge>,
    /// Rules of approvals.
    approvals: Option<Approvals>,
    /// How long data is kept.
    retention: Option<Retention>,
    /// Where runbooks may come from.
    runbooks: Option<Runbooks>,
}
