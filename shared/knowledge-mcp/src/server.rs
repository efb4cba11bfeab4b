//! Serves the knowledge store as tools.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use tarsy_knowledge::Searcher;
use tarsy_knowledge::sql::SqlReader;
use tarsy_mcp_server::{ToolServer, parsed};

use crate::answers::{ask, collections, describe, get, lookup, search};
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
        let collections = collections(&self.searcher).await?;
        Ok(tools::all(&collections, self.sql.is_some()))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let searcher = &self.searcher;
        let answer = match (tool, &self.sql) {
            ("search", _) => search(searcher, parsed(arguments)?).await?,
            ("lookup", _) => lookup(searcher, parsed(arguments)?).await?,
            ("get", _) => get(searcher, parsed(arguments)?).await?,
            ("describe", _) => describe(searcher, parsed(arguments)?).await?,
            ("sql", Some(reader)) => ask(reader, parsed(arguments)?).await?,
            _ => return Ok(None),
        };
        Ok(Some(answer.to_string()))
    }
}
