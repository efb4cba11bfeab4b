//! Serves the knowledge store as tools.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_knowledge::Searcher;
use tarsy_knowledge::sql::SqlReader;
use tarsy_knowledge::store;
use tarsy_mcp_server::ToolServer;

use crate::answers::answer;
use crate::tools;

/// Tool server that answers calls from a knowledge store.
pub struct KnowledgeServer {
    searcher: Searcher,
    sql: Option<SqlReader>,
}

impl KnowledgeServer {
    /// Creates a server for a store. Without `sql`, the tool `sql` is not offered.
    #[must_use]
    pub const fn new(searcher: Searcher, sql: Option<SqlReader>) -> Self {
        Self { searcher, sql }
    }
}

impl ToolServer for KnowledgeServer {
    const NAME: &'static str = "tarsy-knowledge";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        let unavailable = |_| "the knowledge store is unavailable".to_owned();
        let mut connection = self.searcher.pool().acquire().await.map_err(unavailable)?;
        let collections = store::collections(&mut connection, &[]).await;
        let collections =
            collections.map_err(|_| "the knowledge store is unavailable".to_owned())?;
        Ok(tools::all(&collections, self.sql.is_some()))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<String, String>> {
        let answered = answer(&self.searcher, self.sql.as_ref(), tool, arguments).await?;
        Some(answered.map(|value| value.to_string()))
    }
}
