//! MCP server over Prometheus, or any store with its API (Thanos, Mimir, `VictoriaMetrics`).

mod discover;
mod query;
mod status;

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_mcp_server::{ToolServer, described_tools, parsed};

use crate::upstream::Upstream;

/// Server with tools that read from Prometheus.
#[derive(Debug)]
pub struct PrometheusServer(pub Upstream);

impl PrometheusServer {
    /// Name of the API in error messages.
    pub const API: &'static str = "prometheus";
}

impl ToolServer for PrometheusServer {
    const NAME: &'static str = "tarsy-prometheus";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        described_tools(include_str!("prometheus/tools.json"))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let Self(upstream) = self;
        Ok(Some(match tool {
            "query" => query::instant(upstream, parsed(arguments)?).await?,
            "query_range" => query::range(upstream, parsed(arguments)?).await?,
            "metrics" => discover::metrics(upstream, parsed(arguments)?).await?,
            "labels" => discover::labels(upstream, parsed(arguments)?).await?,
            "alerts" => status::alerts(upstream, parsed(arguments)?).await?,
            "rules" => status::rules(upstream, parsed(arguments)?).await?,
            "targets" => status::targets(upstream, parsed(arguments)?).await?,
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tools_only_read() {
        let tools = described_tools(include_str!("prometheus/tools.json")).unwrap();
        assert_eq!(tools.len(), 7);
        let hints = tools.iter().map(|tool| tool.annotations.as_ref().unwrap());
        assert!(
            hints
                .into_iter()
                .all(|hints| hints.read_only_hint == Some(true))
        );
    }
}
