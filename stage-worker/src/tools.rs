//! The agent's tools port over the pooled MCP servers.

use std::time::Instant;

use async_trait::async_trait;
use tarsy_agent::{ToolCall, ToolOffer, Tools};
use tarsy_mcp::{AgentTools, CallOptions};
use tarsy_model::McpResult;
use tokio_util::sync::CancellationToken;

/// The tools of one agent, for one stage.
pub struct StageTools {
    /// What the agent may reach.
    pub view: AgentTools,
    /// Ends calls under way.
    pub cancel: CancellationToken,
}

#[async_trait]
impl Tools for StageTools {
    fn servers(&self) -> Vec<String> {
        self.view.servers().into_iter().map(str::to_owned).collect()
    }

    async fn list(&self, server: &str) -> Result<Vec<ToolOffer>, String> {
        let tools = self.view.list_server(server).await.map_err(|error| error.to_string())?;
        Ok(tools
            .into_iter()
            .map(|tool| ToolOffer {
                server: tool.server,
                name: tool.name,
                description: tool.description,
                input_schema: tool.input_schema,
                effect: tool.effect,
            })
            .collect())
    }

    async fn call(&self, call: ToolCall) -> McpResult {
        let started = Instant::now();
        let options = CallOptions {
            timeout: Some(call.timeout),
            cancel: self.cancel.clone(),
            request_id: Some(call.request_id),
            pin: None,
        };
        let end = self.view.call(&call.server, &call.tool, call.arguments, options).await;
        let mut result = tarsy_mcp::recorded(&end);
        if end.is_err() {
            result.duration_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        }
        result
    }
}
