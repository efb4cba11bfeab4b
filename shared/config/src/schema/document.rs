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
    /// Lists of LLM providers by name, for use in `fallbacks`. An entry is a provider or another list.
    fallback_lists: Option<BTreeMap<String, Texts>>,
    /// Webhook sources by name. The name is part of the path, `/webhooks/{source}`.
    webhooks: Option<Entries<Webhook>>,
    /// Notification targets by name.
    notifications: Option<Entries<Notification>>,
    /// Prices in US dollars per million tokens, by model.
    prices: Option<Entries<Price>>,
    /// Spending limit of all chains together. Default: unlimited.
    spending: Option<Spending>,
    /// Provider for stages, agents and chains that set none. `DEFAULT_LLM_PROVIDER` overrides it.
    default_llm_provider: Option<Text>,
    /// Provider that summarises tool results longer than `page_chars`. Use a cheap one. Default: none; the model sees
    /// the first page.
    summary_provider: Option<Text>,
    /// Iteration strategy for stages and agents that set none. Default: react.
    default_strategy: Option<Word<Strategy>>,
    /// Log level of every process without `RUST_LOG`. Overrides `LOG_LEVEL`. A reload applies changes.
    log_level: Option<Word<Level>>,
    /// Limits of every stage. An agent can override them.
    limits: Option<Limits>,
    /// What is masked in alert data before a model sees it. Default: the group `security`.
    alert_masking: Option<Masking>,
    /// Policies for text that goes to a model and text that it returns. They apply where a stage calls `guard`.
    /// Default: redact secrets and machine addresses.
    guardrails: Option<Vec<Policy>>,
    /// Questions to the knowledge store. Default: off.
    knowledge: Option<Knowledge>,
    /// Rules for approvals.
    approvals: Option<Approvals>,
    /// How long data is kept.
    retention: Option<Retention>,
    /// Allowed sources of runbooks.
    runbooks: Option<Runbooks>,
}
