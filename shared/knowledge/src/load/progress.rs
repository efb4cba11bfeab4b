//! Progress of a load.

use sqlx::PgConnection;

use super::target::Target;
use super::write::Written;
use crate::error::Result;

/// Progress of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Progress {
    /// Id of the load.
    pub load_id: i32,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// Number of rows read, of all kinds.
    pub rows: u64,
    /// Number of new records.
    pub added: u64,
    /// Number of records that replaced an older record with the same key.
    pub replaced: u64,
    /// Number of rows that were already loaded.
    pub unchanged: u64,
    /// Number of rejected rows.
    pub rejected: u64,
    /// Number of rows without a value.
    pub empty: u64,
    /// Number of rows read by an earlier, interrupted run.
    pub resumed_at: u64,
    /// Whether the file was read to its end. True from the start if an earlier load was complete.
    pub is_complete: bool,
}

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    load_id: i32,
    pub(super) state: String,
    rows_read: i64,
    added: i64,
    replaced: i64,
    unchanged: i64,
    rejected: i64,
    empty: i64,
}

impl Progress {
    pub(super) fn resumed(row: &Row) -> Self {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        Self {
            load_id: row.load_id,
            bytes: 0,
            rows: count(row.rows_read),
            added: count(row.added),
            replaced: count(row.replaced),
            unchanged: count(row.unchanged),
            rejected: count(row.rejected),
            empty: count(row.empty),
            resumed_at: count(row.rows_read),
            is_complete: row.state == "completed",
        }
    }

    pub(super) fn add(&mut self, written: &Written) {
        self.rows = written.rows;
        self.added += written.added;
        self.replaced += written.replaced;
        self.unchanged += written.unchanged;
        self.rejected += written.rejections.len() as u64;
        self.empty += written.empty;
    }
}

/// Records the progress, and starts a new generation of the collection.
pub(super) async fn record(
    connection: &mut PgConnection,
    target: &Target,
    progress: &Progress,
) -> Result<()> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    sqlx::query(
        "with changed as (
            update knowledge.collections set generation = generation + 1 where collection_id = $8
         )
         update knowledge.loads
            set rows_read = $2, added = $3, replaced = $4, unchanged = $5, rejected = $6, empty = $7
          where load_id = $1",
    )
    .bind(target.load_id)
    .bind(count(progress.rows))
    .bind(count(progress.added))
    .bind(count(progress.replaced))
    .bind(count(progress.unchanged))
    .bind(count(progress.rejected))
    .bind(count(progress.empty))
    .bind(target.collection_id)
    .execute(connection)
    .await?;
    Ok(())
}
