//! The server's side of the protocol.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use tarsy_knowledge::Searcher;
use tarsy_knowledge::sql::SqlReader;
use tarsy_knowledge::store;

use crate::answers::answer;
use crate::error::Error;
use crate::tools;

/// Longest time of a call.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers calls. Cheap to clone.
#[derive(Clone)]
pub struct KnowledgeServer {
    searcher: Searcher,
    sql: Option<SqlReader>,
}

impl KnowledgeServer {
    /// A server over a store; without `sql` there is no tool of that name.
    #[must_use]
    pub const fn new(searcher: Searcher, sql: Option<SqlReader>) -> Self {
        Self { searcher, sql }
    }
}

/// Serves one client over standard input and output, until it hangs up.
///
/// # Errors
///
/// [`Error::Stdio`] if no client shakes hands.
pub async fn serve_stdio(server: KnowledgeServer) -> Result<(), Error> {
    let stdio = |error: String| Error::Stdio(error);
    let running = rmcp::serve_server(server, rmcp::transport::stdio()).await;
    let running = running.map_err(|error| stdio(error.to_string()))?;
    running
        .waiting()
        .await
        .map_err(|error| stdio(error.to_string()))?;
    Ok(())
}

impl ServerHandler for KnowledgeServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(
            "tarsy-knowledge",
            env!("CARGO_PKG_VERSION"),
        ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let unavailable = || ErrorData::internal_error("the knowledge store is unavailable", None);
        let mut connection = self
            .searcher
            .pool()
            .acquire()
            .await
            .map_err(|_| unavailable())?;
        let collections = store::collections(&mut connection, &[])
            .await
            .map_err(|_| unavailable())?;
        Ok(ListToolsResult::with_all_items(tools::all(
            &collections,
            self.sql.is_some(),
        )))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let server = self.clone();
        let (name, arguments) = (request.name.clone(), request.arguments.unwrap_or_default());
        // A task of its own: who calls hears of a panic, too.
        let mut task = tokio::spawn(async move {
            answer(
                &server.searcher,
                server.sql.as_ref(),
                &request.name,
                arguments,
            )
            .await
        });
        let answered = match tokio::time::timeout(PATIENCE, &mut task).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(_)) => Some(Err("the tool failed".to_owned())),
            Err(_) => {
                task.abort();
                Some(Err("the tool took too long".to_owned()))
            }
        };
        let Some(answered) = answered else {
            return Err(ErrorData::invalid_params(
                format!("unknown tool: {name}"),
                None,
            ));
        };
        let result = match answered {
            Ok(value) => CallToolResult::success(vec![ContentBlock::text(value.to_string())]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(result.into())
    }
}
