//! Implements [`Tools`] for the MCP servers of an agent.

use async_trait::async_trait;
use tarsy_mcp::{AgentTools, CallOptions, ListedServer, recorded};
use tarsy_model::{LocalFault, McpResult};

use crate::RunError;
use crate::plan::OUTCOME_UNKNOWN;
use crate::ports::{NotListed, ToolCall, Tools};

#[async_trait]
impl Tools for AgentTools {
    fn servers(&self) -> Vec<String> {
        Self::servers(self).into_iter().map(str::to_owned).collect()
    }

    async fn list(&self, server: &str) -> Result<ListedServer, NotListed> {
        self.list_server(server).await.map_err(|error| NotListed {
            reason: error.to_string(),
            fault: error.fault(),
        })
    }

    async fn call(&self, call: ToolCall) -> Result<McpResult, RunError> {
        let options = CallOptions {
            timeout: Some(call.timeout),
            request_id: Some(call.request_id),
            session_id: Some(call.session_id),
            traceparent: call.traceparent,
            pin: Some(call.pin),
            task: call.task,
            task_begun: call.task_begun,
            ..CallOptions::default()
        };
        let end = Self::call(self, &call.server, &call.tool, call.arguments, options).await;
        let mut result = recorded(&end);
        if let Err(error) = end {
            if let Some(LocalFault::Shortage(shortage)) = error.fault() {
                return Err(RunError::Shortage(shortage));
            }
            if error.outcome_unknown() && !call.effect.is_repeatable() {
                result.error_message = Some(format!("{OUTCOME_UNKNOWN}: {error}"));
            }
        }
        Ok(result)
    }
}
