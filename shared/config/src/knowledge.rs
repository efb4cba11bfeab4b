//! The built-in chain `knowledge`, which answers questions to the knowledge store.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_chain::{ChainDefinition, StageKind};
use tarsy_model::KNOWLEDGE_CHAIN;

use crate::fields::{Fields, Required, Text, section};
use crate::references::NameKind;
use crate::{Approve, McpServerConfig};

/// Definition of the chain. `{server}` stands for the MCP server over the store, `{ssh}` for the one that runs
/// commands.
const YAML: &str = include_str!("knowledge.yaml");

/// Markers of lines that are only for configurations with an SSH server, or only for those without.
const WITH_SSH: &str = "#ssh ";
const WITHOUT_SSH: &str = "#plain";

/// Stage that answers. The other model stages use the small model.
const ANSWERING: &str = "generator";

/// Member of its answer that is shown as a draft.
const DRAFT: &str = "answer";

section! {
    /// Questions to the knowledge store.
    struct KnowledgeFields("Knowledge") {
        /// MCP server that serves the store, `tarsy mcp knowledge`.
        server: Required<Text>,
        /// MCP server that runs commands on hosts, `tarsy mcp ssh`. Default: questions run no commands.
        ssh_server: Text,
        /// Provider that answers. Default: the fleet's default provider.
        llm_provider: Text,
        /// Provider that routes and rewrites questions. Default: the provider that answers.
        small_llm_provider: Text,
    }
}

/// The section `knowledge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnowledgeConfig {
    /// MCP server over the store, `tarsy mcp knowledge`.
    pub server: String,
    /// MCP server that runs commands on hosts, `tarsy mcp ssh`. `None`: no commands are run for questions.
    pub ssh_server: Option<String>,
    /// Provider that answers. `None`: the default provider.
    pub llm_provider: Option<String>,
    /// Provider that routes and rewrites questions. `None`: the one that answers.
    pub small_llm_provider: Option<String>,
}

impl KnowledgeConfig {
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let keys = KnowledgeFields::FIELDS;
        let llm_provider = fields.reference(keys.llm_provider, NameKind::Provider);
        let small_llm_provider = fields.reference(keys.small_llm_provider, NameKind::Provider);
        let ssh_server = fields.reference(keys.ssh_server, NameKind::Server);
        let server = fields.require(
            keys.server,
            "it is the MCP server over the knowledge store, `tarsy mcp knowledge`",
        );
        let server = server?;
        fields.mention(NameKind::Server, &server);
        Some(Self {
            server: server.into_string(),
            ssh_server,
            llm_provider,
            small_llm_provider,
        })
    }

    /// Returns the definition of the chain as YAML.
    pub(crate) fn source(&self) -> String {
        let line = |line: &'static str| match &self.ssh_server {
            Some(_) => {
                (!line.ends_with(WITHOUT_SSH)).then(|| line.strip_prefix(WITH_SSH).unwrap_or(line))
            }
            None => (!line.starts_with(WITH_SSH)).then_some(line),
        };
        let lines: Vec<&str> = YAML.lines().filter_map(line).collect();
        let ssh = self.ssh_server.as_deref().unwrap_or_default();
        lines
            .join("\n")
            .replace("{server}", &self.server)
            .replace("{ssh}", ssh)
    }

    /// Returns the mistake in the configuration of the server that runs commands, if there is one. A person must
    /// approve each command.
    pub(crate) fn mistake(&self, servers: &BTreeMap<String, McpServerConfig>) -> Option<String> {
        let server = servers.get(self.ssh_server.as_ref()?)?;
        let needs_approval = match &server.approve {
            Some(Approve::All) => true,
            Some(Approve::Tools(tools)) => tools.iter().any(|tool| tool == "run"),
            Some(Approve::Destructive) | None => false,
        };
        (!needs_approval).then(|| {
            format!(
                "MCP server `{}` runs commands for questions without approval",
                server.server_id
            )
        })
    }

    /// Completes the chain that was read from [`Self::source`]: sets the providers of its model calls, and removes its
    /// alert types, so that no alert uses it.
    pub(crate) fn complete(&self, chain: &mut ChainDefinition) {
        chain.alert_types.clear();
        let small = self.small_llm_provider.as_ref();
        let small = small.or(self.llm_provider.as_ref());
        for stage in &mut chain.stages {
            if let StageKind::Ask(ask) = &mut stage.kind {
                match stage.name == ANSWERING {
                    true => {
                        ask.llm_provider = self.llm_provider.clone();
                        ask.draft = Some(DRAFT.to_owned());
                    }
                    false => ask.llm_provider = small.cloned(),
                }
            }
        }
    }
}

/// Whether the file has a chain with the name of the built-in one.
pub(crate) fn is_taken<'a>(mut chains: impl Iterator<Item = &'a String>) -> bool {
    chains.any(|name| name == KNOWLEDGE_CHAIN)
}
