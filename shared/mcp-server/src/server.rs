//! Server side of the protocol.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};

use crate::error::Error;

/// Longest time for a call.
const PATIENCE: Duration = Duration::from_secs(30);

/// A set of tools to serve.
pub trait ToolServer: Send + Sync + 'static {
    /// Name of the server that clients see.
    const NAME: &'static str;

    /// Lists the tools. The error is for the client.
    fn list(&self) -> impl Future<Output = Result<Vec<Tool>, String>> + Send;

    /// Calls a tool. Returns its text, or `None` if there is no such tool. The error is for the model.
    fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<Option<String>, String>> + Send;
}

/// Adapter that lets `rmcp` call a [`ToolServer`].
pub(crate) struct Protocol<T>(pub(crate) Arc<T>);

impl<T> Clone for Protocol<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Serves one client over standard input and output, until the client disconnects.
///
/// # Errors
///
/// [`Error::Stdio`] if no client completes the handshake, or the streams break.
pub async fn serve_stdio(server: impl ToolServer) -> Result<(), Error> {
    let protocol = Protocol(Arc::new(server));
    let running = rmcp::serve_server(protocol, rmcp::transport::stdio()).await;
    let running = running.map_err(|error| Error::Stdio(error.to_string()))?;
    let ended = running.waiting().await;
    ended.map_err(|error| Error::Stdio(error.to_string()))?;
    Ok(())
}

impl<T: ToolServer> ServerHandler for Protocol<T> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(T::NAME, env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.list().await;
        let tools = tools.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let server = Arc::clone(&self.0);
        let (name, arguments) = (request.name.clone(), request.arguments.unwrap_or_default());
        // Run the call in a separate task, so that the caller gets an answer even after a panic.
        let mut task = tokio::spawn(async move { server.call(&request.name, arguments).await });
        let answered = match tokio::time::timeout(PATIENCE, &mut task).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(_)) => Err("the tool failed".to_owned()),
            Err(_) => {
                task.abort();
                Err("the tool took too long".to_owned())
            }
        };
        let result = match answered {
            Ok(Some(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Ok(None) => {
                let unknown = format!("unknown tool: {name}");
                return Err(ErrorData::invalid_params(unknown, None));
            }
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(result.into())
    }
}
