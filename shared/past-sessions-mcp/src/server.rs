//! Serves ended sessions as tools.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use sqlx::PgPool;
use tarsy_config::AlertMasker;
use tarsy_mcp_server::{ToolServer, described_tools, parsed};

use crate::{get, search};

/// Error message for a model if the database does not answer.
const UNAVAILABLE: &str = "the history is unavailable";

/// Tool server that answers calls from the database.
#[derive(Debug)]
pub struct PastSessionsServer {
    pool: PgPool,
    masker: AlertMasker,
}

impl PastSessionsServer {
    /// Creates a server that reads the fleet's database.
    #[must_use]
    pub const fn new(pool: PgPool, masker: AlertMasker) -> Self {
        Self { pool, masker }
    }

    async fn search(&self, wanted: search::Arguments) -> Result<Value, String> {
        let query = search::Query::parse(wanted)?;
        let mut tx = self.reading().await?;
        let found = search::found(&mut tx, &query).await;
        let found = found.map_err(|_| UNAVAILABLE.to_owned())?;
        drop(tx);
        self.masked(move |masker| search::shown(masker, &found))
            .await
    }

    async fn get(&self, wanted: get::Arguments) -> Result<Value, String> {
        let mut tx = self.reading().await?;
        let read = get::read(&mut tx, &wanted.session_id).await?;
        drop(tx);
        self.masked(move |masker| get::shown(masker, &read)).await
    }

    /// Begins a transaction that can't write.
    async fn reading(&self) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, String> {
        let begun = self.pool.begin_with("begin read only").await;
        begun.map_err(|_| UNAVAILABLE.to_owned())
    }

    /// Runs `show` on a blocking thread, because masking an alert of a megabyte takes tens of milliseconds.
    async fn masked(
        &self,
        show: impl FnOnce(&AlertMasker) -> Value + Send + 'static,
    ) -> Result<Value, String> {
        let masker = self.masker.clone();
        let shown = tokio::task::spawn_blocking(move || show(&masker)).await;
        shown.map_err(|_| "the tool failed".to_owned())
    }
}

impl ToolServer for PastSessionsServer {
    const NAME: &'static str = "tarsy-past-sessions";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        described_tools(include_str!("tools.json"))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let answer = match tool {
            "search" => self.search(parsed(arguments)?).await?,
            "get" => self.get(parsed(arguments)?).await?,
            _ => return Ok(None),
        };
        Ok(Some(answer.to_string()))
    }
}
