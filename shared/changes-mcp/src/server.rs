//! Serves recorded changes as a tool.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use sqlx::PgPool;
use tarsy_mcp_server::{ToolServer, described_tools, parsed};
use tarsy_store::changes::list_changes;

use crate::list::{self, Arguments};

/// Error message for a model if the database does not answer.
const UNAVAILABLE: &str = "the changes are unavailable";

/// Tool server that answers calls from the database.
#[derive(Debug)]
pub struct ChangesServer {
    pool: PgPool,
}

impl ChangesServer {
    /// Creates a server that reads the fleet's database.
    #[must_use]
    pub const fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    async fn find(&self, wanted: Arguments) -> Result<Value, String> {
        let (filter, limit) = (wanted.filter()?, wanted.limit());
        let tx = self.pool.begin_with("begin read only").await;
        let mut tx = tx.map_err(|_| UNAVAILABLE)?;
        let found = list_changes(&mut tx, filter, limit + 1).await;
        Ok(list::shown(found.map_err(|_| UNAVAILABLE)?, limit))
    }
}

impl ToolServer for ChangesServer {
    const NAME: &'static str = "tarsy-changes";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        described_tools(include_str!("tools.json"))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        if tool != "list_changes" {
            return Ok(None);
        }
        let found = self.find(parsed(arguments)?).await?;
        Ok(Some(found.to_string()))
    }
}
