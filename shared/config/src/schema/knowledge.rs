//! Guardrails and questions to the knowledge store.

use schemars::JsonSchema;

use super::scalars::{Flag, Text, Texts, Word, words};
use super::servers::CustomPattern;
use crate::policy::PolicyAction;

words!(Action, PolicyAction::WORDS);

/// A guardrail policy.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Policy {
    /// Name of the policy in findings.
    name: Text,
    /// Action on text that matches.
    action: Word<Action>,
    /// Whether the policy applies. Default: true.
    enabled: Option<Flag>,
    /// Groups of patterns, e.g. `network`.
    pattern_groups: Option<Texts>,
    /// Individual patterns, e.g. `certificate`.
    patterns: Option<Texts>,
    /// Custom patterns.
    custom_patterns: Option<Vec<CustomPattern>>,
}

/// Questions to the knowledge store.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Knowledge {
    /// MCP server that serves the store, `tarsy mcp knowledge`.
    server: Text,
    /// MCP server that runs commands on hosts, `tarsy mcp ssh`. Default: questions run no commands.
    ssh_server: Option<Text>,
    /// Provider that answers. Default: the fleet's default provider.
    llm_provider: Option<Text>,
    /// Provider that routes and rewrites questions. Default: the provider that answers.
    small_llm_provider: Option<Text>,
}
