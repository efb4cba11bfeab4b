//! Runs checked statements read-only, under a separate login, with limits on time and size.

use std::time::Duration;

use serde_json::value::RawValue;
use sqlx::{AssertSqlSafe, PgPool, Row as _};
use tokio::time::Instant;

use super::guard::{Checked, Refusal, Tables, check};
use crate::error::Error;
use crate::store;

/// Longest time of a statement, over all rows that are fetched from it.
const STATEMENT_TIME: Duration = Duration::from_secs(3);
/// Memory of each sort and hash of a statement. Temporary files are bounded only in that each has this size. A stricter
/// bound needs a superuser, because only superusers may set `temp_file_limit`.
const WORK_MEMORY: &str = "16MB";
/// Timeout of a query, including the wait for a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of rows.
const MAX_ROWS: usize = 200;
/// Maximum size of the rows, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Result of a query.
#[derive(Debug, serde::Serialize)]
pub struct Answer {
    /// Column names.
    pub columns: Vec<String>,
    /// Rows as JSON objects.
    pub rows: Vec<Box<RawValue>>,
    /// Whether rows were cut off, because there were more than 200 rows or 64 KiB.
    pub is_truncated: bool,
    /// The statement as sent.
    pub sql: String,
}

/// Error of a query.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// Refused before it was sent.
    #[error("the statement was refused: {0}")]
    Refused(#[from] Refusal),
    /// Postgres rejected or cancelled it.
    #[error("the statement failed: {0}")]
    Failed(String),
    /// Timeout.
    #[error("the statement took too long: narrow it with WHERE")]
    TimedOut,
    /// The database is unreachable.
    #[error("the database is unusable")]
    Store(#[from] Error),
}

/// Runs SQL queries with a login that can only read the views.
#[derive(Clone, Debug)]
pub struct SqlReader {
    store: PgPool,
    reader: PgPool,
}

impl SqlReader {
    /// Creates a reader. `store` lists the collections. `reader` connects to the same database with the login of
    /// [`crate::store::grant_reader`].
    #[must_use]
    pub const fn new(store: PgPool, reader: PgPool) -> Self {
        Self { store, reader }
    }

    /// Returns the names of the tables with their columns.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn tables(&self) -> Result<Tables, Error> {
        let mut connection = self.store.acquire().await?;
        let collections = store::collections(&mut connection, &[]).await?;
        let table = |collection: store::Collection| {
            let fields = collection
                .mapping
                .fields
                .into_iter()
                .map(|field| field.name);
            let columns = std::iter::once("record_key".to_owned()).chain(fields);
            (collection.name, columns.collect())
        };
        Ok(collections.into_iter().map(table).collect())
    }

    /// Runs one SELECT over collections.
    ///
    /// # Errors
    ///
    /// [`SqlError`], with a message for the author of the statement.
    pub async fn ask(&self, sql: &str) -> Result<Answer, SqlError> {
        let checked = check(sql, &self.tables().await?)?;
        let running = tokio::time::timeout(PATIENCE, self.run(&checked));
        match running.await {
            Ok(answer) => answer,
            Err(_) => Err(SqlError::TimedOut),
        }
    }

    async fn run(&self, checked: &Checked) -> Result<Answer, SqlError> {
        let mut tx = self.reader.begin().await.map_err(Error::from)?;
        let ends = Instant::now() + STATEMENT_TIME;
        let ending = timeout(ends)?;
        let begin = format!(
            "set transaction read only; {ending}; set local work_mem = '{WORK_MEMORY}';
             set local hash_mem_multiplier = 1; set local max_parallel_workers_per_gather = 0;
             set local search_path = ''; set local standard_conforming_strings = on;
             declare answer no scroll cursor for
             select pg_catalog.row_to_json(answer.*)::pg_catalog.text from ({}) as answer",
            checked.sql
        );
        sqlx::raw_sql(AssertSqlSafe(begin))
            .execute(&mut *tx)
            .await
            .map_err(failure)?;
        let mut answer = Answer {
            columns: checked.columns.clone(),
            rows: Vec::new(),
            is_truncated: false,
            sql: checked.sql.clone(),
        };
        let mut bytes = 0;
        'rows: loop {
            // Fetch few rows at a time, because each may be long. Postgres's timeout applies to each FETCH, so each one
            // gets the time that is left.
            let fetch = format!("{}; fetch 10 from answer", timeout(ends)?);
            let fetched = sqlx::raw_sql(AssertSqlSafe(fetch)).fetch_all(&mut *tx);
            let fetched = fetched.await.map_err(failure)?.into_iter();
            let fetched: Result<Vec<String>, _> = fetched.map(|row| row.try_get(0)).collect();
            let fetched = fetched.map_err(Error::from)?;
            let is_last = fetched.len() < 10;
            for row in fetched {
                bytes += row.len();
                if answer.rows.len() == MAX_ROWS || bytes > MAX_BYTES {
                    answer.is_truncated = true;
                    break 'rows;
                }
                answer
                    .rows
                    .push(RawValue::from_string(row).map_err(Error::from)?);
            }
            if is_last {
                break;
            }
        }
        tx.rollback().await.map_err(Error::from)?;
        Ok(answer)
    }
}

/// Returns the statement with which Postgres ends the next statement at this time.
fn timeout(ends: Instant) -> Result<String, SqlError> {
    let left = ends.saturating_duration_since(Instant::now()).as_millis();
    match left {
        // 0 would switch off Postgres's timeout.
        0 => Err(SqlError::TimedOut),
        left => Ok(format!("set local statement_timeout = {left}")),
    }
}

fn failure(error: sqlx::Error) -> SqlError {
    let code = error.as_database_error().and_then(|error| error.code());
    match (code.as_deref(), error.as_database_error()) {
        (Some("57014"), _) => SqlError::TimedOut,
        (_, Some(error)) => SqlError::Failed(error.message().to_owned()),
        (_, None) => SqlError::Store(error.into()),
    }
}
