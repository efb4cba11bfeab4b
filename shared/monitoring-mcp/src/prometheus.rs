//! Prometheus, and what speaks its API (Thanos, Mimir, `VictoriaMetrics`), as a server of tools.

mod discover;
mod query;
mod status;
mod tools;

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_mcp_server::ToolServer;

use crate::upstream::Upstream;

/// Answers calls.
#[derive(Debug)]
pub struct PrometheusServer {
    upstream: Upstream,
}

impl PrometheusServer {
    /// The name of the API in errors.
    pub const API: &'static str = "prometheus";

    /// A server that asks this API.
    #[must_use]
    pub const fn new(upstream: Upstream) -> Self {
        Self { upstream }
    }
}

impl ToolServer for PrometheusServer {
    const NAME: &'static str = "tarsy-prometheus";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(tools::all())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<String, String>> {
        let upstream = &self.upstream;
        Some(match tool {
            "query" => query::instant(upstream, arguments).await,
            "query_range" => query::range(upstream, arguments).await,
            "metrics" => discover::metrics(upstream, arguments).await,
            "labels" => discover::labels(upstream, arguments).await,
            "alerts" => status::alerts(upstream, arguments).await,
            "rules" => status::rules(upstream, arguments).await,
            "targets" => status::targets(upstream, arguments).await,
            _ => return None,
        })
    }
}
