//! MCP server over Loki.

mod logs;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use tarsy_mcp_server::{ToolServer, parsed};

use crate::answer::{reading, text};
use crate::upstream::Upstream;
use crate::window::{ranged, stepped};

/// Server with tools that read from Loki.
#[derive(Debug)]
pub struct LokiServer {
    upstream: Upstream,
}

impl LokiServer {
    /// Name of the API in error messages.
    pub const API: &'static str = "loki";

    /// Creates a server that reads from this API.
    #[must_use]
    pub const fn new(upstream: Upstream) -> Self {
        Self { upstream }
    }
}

impl ToolServer for LokiServer {
    const NAME: &'static str = "tarsy-loki";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(tools())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let upstream = &self.upstream;
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

fn tools() -> Vec<Tool> {
    let logql = || text("LogQL, e.g. {namespace=\"shop\"} |= \"timeout\"");
    let logql_metric =
        text("LogQL of a metric, e.g. sum by (level) (count_over_time({app=\"cart\"}[1m]))");
    vec![
        reading(
            "patterns",
            "What log lines say: lines that differ only in numbers and ids are one pattern, with their number, first and last time, and the last line. Errors first. Begin here.",
            ranged(json!({"query": logql()})),
            &["query"],
        ),
        reading(
            "lines",
            "Log lines as they are, the newest first.",
            ranged(json!({
                "query": logql(),
                "limit": {"type": "integer", "minimum": 1, "maximum": logs::MOST_LINES, "description": "most lines, default 30"},
            })),
            &["query"],
        ),
        reading(
            "query_range",
            "How a LogQL metric goes over time: of each series minimum, maximum, last value, changes of its level, and a picture.",
            stepped(json!({"query": logql_metric})),
            &["query"],
        ),
        reading(
            "labels",
            "Names of labels, or the values of one.",
            ranged(
                json!({"label": text("values of this label"), "selector": text("of these streams only, e.g. {namespace=\"shop\"}")}),
            ),
            &[],
        ),
        reading(
            "volume",
            "Number of streams, lines and bytes that a selector matches. Cheap: ask before a long range.",
            ranged(json!({"selector": text("e.g. {namespace=\"shop\"}")})),
            &["selector"],
        ),
    ]
}
