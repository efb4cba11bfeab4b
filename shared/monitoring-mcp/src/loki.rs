//! MCP server over Loki.

mod logs;

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_mcp_server::{ToolServer, described_tools, parsed};

use crate::upstream::Upstream;

/// Server with tools that read from Loki.
#[derive(Debug)]
pub struct LokiServer(pub Upstream);

impl LokiServer {
    /// Name of the API in error messages.
    pub const API: &'static str = "loki";
}

impl ToolServer for LokiServer {
    const NAME: &'static str = "tarsy-loki";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        described_tools(include_str!("loki/tools.json"))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let Self(upstream) = self;
        Ok(Some(match tool {
            "patterns" => logs::patterns(upstream, parsed(arguments)?).await?,
            "lines" => logs::lines(upstream, parsed(arguments)?).await?,
            "query_range" => logs::range(upstream, parsed(arguments)?).await?,
            "labels" => logs::labels(upstream, parsed(arguments)?).await?,
            "volume" => logs::volume(upstream, parsed(arguments)?).await?,
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tools_only_read() {
        let tools = described_tools(include_str!("loki/tools.json")).unwrap();
        assert_eq!(tools.len(), 5);
        let hints = tools.iter().map(|tool| tool.annotations.as_ref().unwrap());
        assert!(
            hints
                .into_iter()
                .all(|hints| hints.read_only_hint == Some(true))
        );
    }
}
