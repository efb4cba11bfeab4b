//! Guardrails and questions to the knowledge store.

use schemars::JsonSchema;

use super::scalars::{Flag, Text, Texts, Word, words};
use super::servers::CustomPattern;

words!(Action, ["deny", "redact", "flag"]);

/// A policy.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Policy {
    /// Its name in findings.
    name: Text,
    /// What is done with what is found.
    action: Word<Action>,
    /// Whether the policy applies. Default: true.
    enabled: Option<Flag>,
    /// Groups of patterns, e.g. `network`.
    pattern_groups: Option<Texts>,
    /// Single patterns, e.g. `certificate`.
    patterns: Option<Texts>,
    /// Patterns of your own.
    custom_patterns: Option<Vec<CustomPattern>>,
}

/// Questions to the knowledge store.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Knowledge {
    /// MCP server over the store, `tarsy mcp knowledge`.
    server: Text,
    /// MCP server that runs commands on hosts, `tarsy mcp ssh`. Default: questions run none.
    ssh_server: Option<Text>,
    /// Provider that answers. Default: the fleet's.
    llm_provider: Option<Text>,
    /// Provider that routes questions and rewrites them. Default: the one that answers.
    small_llm_provider: Option<Text>,
}
