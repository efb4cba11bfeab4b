//! Serves recorded changes as a tool.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use sqlx::PgPool;
use tarsy_mcp_server::{ToolServer, parsed, read_only_tool};
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
        Ok(tools())
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

fn tools() -> Vec<Tool> {
    let text =
        |description: &str| json!({"type": "string", "maxLength": 300, "description": description});
    vec![read_only_tool(
        "list_changes",
        "List what changed, newest first: pushes, deployments, releases and syncs, as other systems reported them. A change \
         near the start of a problem is a hint, not a proof.",
        json!({
            "service": text("changes of this service, application or repository alone"),
            "namespace": text("changes in this namespace alone"),
            "cluster": text("changes in this cluster alone"),
            "from": text("changes at or after this time, e.g. 2026-11-20T10:00:00Z"),
            "to": text("changes before this time"),
            "limit": {"type": "integer", "minimum": 1, "maximum": list::MOST, "description": "most changes, default 20"},
        }),
        &[],
    )]
}
