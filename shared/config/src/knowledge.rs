//! The chain `knowledge`, which answers questions to the knowledge store.

use serde::Serialize;
use tarsy_chain::{ChainDefinition, StageKind};
use tarsy_model::KNOWLEDGE_CHAIN;

use crate::fields::Fields;
use crate::references::Kind;

/// Its definition; `{server}` stands for the MCP server over the store.
const YAML: &str = include_str!("knowledge.yaml");

/// Stage that answers; all other questions are asked of the small model.
const ANSWERING: &str = "generator";

/// The section `knowledge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnowledgeConfig {
    /// MCP server over the store, `tarsy mcp knowledge`.
    pub server: String,
    /// Provider that answers. `None`: the fleet's default.
    pub llm_provider: Option<String>,
    /// Provider that routes questions and rewrites them. `None`: the one that answers.
    pub small_llm_provider: Option<String>,
}

impl KnowledgeConfig {
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let llm_provider = fields.reference("llm_provider", Kind::Provider);
        let small_llm_provider = fields.reference("small_llm_provider", Kind::Provider);
        let server = fields.required_text(
            "server",
            "it is the MCP server over the knowledge store, `tarsy mcp knowledge`",
        );
        fields.finish();
        let server = server?;
        fields.mention(Kind::Server, &server);
        Some(Self {
            server: server.value().to_owned(),
            llm_provider,
            small_llm_provider,
        })
    }

    /// The definition of the chain, as a source.
    pub(crate) fn source(&self) -> String {
        YAML.replace("{server}", &self.server)
    }

    /// The chain as it was read from [`Self::source`], with the providers of its questions. No alert type leads to it.
    pub(crate) fn complete(&self, chain: &mut ChainDefinition) {
        chain.alert_types.clear();
        let small = self.small_llm_provider.as_ref();
        let small = small.or(self.llm_provider.as_ref());
        for stage in &mut chain.stages {
            if let StageKind::Ask(ask) = &mut stage.kind {
                ask.llm_provider = match stage.name == ANSWERING {
                    true => self.llm_provider.clone(),
                    false => small.cloned(),
                };
            }
        }
    }
}

/// Whether a chain of the file has the name of the built-in one.
pub(crate) fn is_taken<'a>(mut chains: impl Iterator<Item = &'a String>) -> bool {
    chains.any(|name| name == KNOWLEDGE_CHAIN)
}
