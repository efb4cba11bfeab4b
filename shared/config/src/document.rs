//! Keys of the whole file.

use tarsy_model::IterationStrategy;

use crate::agent::AgentFields;
use crate::approvals::ApprovalsFields;
use crate::chain::ChainFields;
use crate::fields::{ByName, Entries, Text, Texts, Word, choice, section};
use crate::knowledge::KnowledgeFields;
use crate::limits::LimitsFields;
use crate::masking::MaskingFields;
use crate::notification::fields::NotificationFields;
use crate::policy::PolicyFields;
use crate::price::PriceFields;
use crate::provider::ProviderFields;
use crate::retention::RetentionFields;
use crate::runbooks::RunbooksFields;
use crate::server::fields::ServerFields;
use crate::spending::SpendingFields;
use crate::webhook::WebhookFields;

choice!(struct Level = crate::settings::LEVELS);

section! {
    /// Agents, chains, MCP servers and LLM providers of a tarsy fleet.
    struct DocumentFields("tarsy agents.yaml") {
        /// MCP servers by name.
        mcp_servers: Entries<ServerFields>,
        /// Agents by name.
        agents: Entries<AgentFields>,
        /// Chains of stages by name.
        agent_chains: Entries<ChainFields>,
        /// LLM providers by name. `gemini`, `openai`, `xai`, `anthropic` and `ollama` are built in.
        llm_providers: Entries<ProviderFields>,
        /// Lists of LLM providers by name, for use in `fallbacks`. An entry is a provider or another list.
        fallback_lists: ByName<Texts>,
        /// Webhook sources by name. The name is part of the path, `/webhooks/{source}`.
        webhooks: Entries<WebhookFields>,
        /// Notification targets by name.
        notifications: Entries<NotificationFields>,
        /// Prices in US dollars per million tokens, by model.
        prices: Entries<PriceFields>,
        /// Spending limit of all chains together. Default: unlimited.
        spending: SpendingFields,
        /// Provider for stages, agents and chains that set none. `DEFAULT_LLM_PROVIDER` overrides it.
        default_llm_provider: Text,
        /// Provider that summarises tool results longer than `page_chars`. Use a cheap one. Default: none; the model sees
        /// the first page.
        summary_provider: Text,
        /// Iteration strategy for stages and agents that set none. Default: react.
        default_strategy: Word<IterationStrategy>,
        /// Log level of every process without `RUST_LOG`. Overrides `LOG_LEVEL`. A reload applies changes.
        log_level: Word<Level>,
        /// Limits of every stage. An agent can override them.
        limits: LimitsFields,
        /// What is masked in alert data before a model sees it. Default: the group `security`.
        alert_masking: MaskingFields,
        /// Policies for text that goes to a model and text that it returns. They apply where a stage calls `guard`.
        /// Default: redact secrets and machine addresses.
        guardrails: Vec<PolicyFields>,
        /// Questions to the knowledge store. Default: off.
        knowledge: KnowledgeFields,
        /// Rules for approvals.
        approvals: ApprovalsFields,
        /// How long data is kept.
        retention: RetentionFields,
        /// Allowed sources of runbooks.
        runbooks: RunbooksFields,
    }
}
