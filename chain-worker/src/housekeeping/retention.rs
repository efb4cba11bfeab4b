//! Deletes expired rows, in small batches.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_config::Retention;
use tarsy_failpoint::reached;
use tarsy_store::partitions::{
    CHANGES_TABLE, PARTITIONABLE_TABLES, PartitionChanges, PartitionKey, PartitionableTable,
};

use crate::Error;
use crate::housekeeping::{Turn, begin};

/// Sessions deleted in one transaction.
const SESSIONS: i64 = 200;
/// Events or interactions deleted in one transaction.
const ROWS: i64 = 5_000;
/// How long the sums of usage are kept, even if their sessions are deleted: a year and a month, for comparisons.
const USAGE: Duration = Duration::from_secs(400 * 24 * 3_600);
/// Maximum number of transactions of one run.
const MOST: usize = 100;

/// Retention times.
#[derive(Clone, Copy, Debug)]
pub struct RetentionPolicy {
    /// Retention of ended sessions with all their rows, of rejected alerts, and of changes (`HISTORY_RETENTION_DAYS`).
    pub sessions: Duration,
    /// Retention of events, from which reconnecting sockets catch up.
    pub events: Duration,
    /// Whether interactions are kept after their session has ended (`HISTORY_ENABLED`).
    pub interactions: bool,
}

impl RetentionPolicy {
    /// Builds the configured policy.
    #[must_use]
    pub const fn from_settings(retention: &Retention, history_enabled: bool) -> Self {
        Self {
            sessions: retention.history,
            events: retention.events,
            interactions: history_enabled,
        }
    }
}

/// Creates the next partitions, drops expired ones, and deletes expired rows, one batch after another. Returns the
/// number of rows deleted one by one.
///
/// # Errors
///
/// [`Error`]; earlier batches stay deleted.
pub async fn prune(pool: &PgPool, policy: &RetentionPolicy) -> Result<u64, Error> {
    maintain_partitions(pool, policy).await;
    let mut pruned = 0;
    for _ in 0..MOST {
        let Some(mut tx) = begin(pool, Turn::Prune).await? else {
            return Ok(pruned);
        };
        let sessions =
            tarsy_store::retention::prune_sessions(&mut tx, policy.sessions, SESSIONS).await?;
        let events = tarsy_store::retention::prune_events(&mut tx, policy.events, ROWS).await?;
        let rejections =
            tarsy_store::rejected_alerts::prune_rejections(&mut tx, policy.sessions, ROWS).await?;
        let interactions = match policy.interactions {
            true => 0,
            false => tarsy_store::retention::drop_ended_interactions(&mut tx, ROWS).await?,
        };
        let changes = tarsy_store::changes::prune_changes(&mut tx, policy.sessions, ROWS).await?;
        let usage = tarsy_store::usage::prune_usage(&mut tx, USAGE, ROWS).await?;
        reached("housekeeping.prune.before_commit");
        tx.commit().await?;
        reached("housekeeping.prune.after_commit");
        pruned += sessions + events + rejections + interactions + changes + usage;
        let full = sessions >= SESSIONS.unsigned_abs()
            || events >= ROWS.unsigned_abs()
            || rejections >= ROWS.unsigned_abs()
            || interactions >= ROWS.unsigned_abs()
            || changes >= ROWS.unsigned_abs()
            || usage >= ROWS.unsigned_abs();
        if !full {
            break;
        }
    }
    Ok(pruned)
}

/// Maintains each table's partitions. Failures are retried in the next run and don't prevent the deletion of rows.
async fn maintain_partitions(pool: &PgPool, policy: &RetentionPolicy) {
    for table in PARTITIONABLE_TABLES.into_iter().chain([CHANGES_TABLE]) {
        let age = match table.key {
            PartitionKey::Time => policy.sessions,
            PartitionKey::Number => policy.events,
        };
        if let Err(error) = maintain_table(pool, table, age).await {
            tracing::warn!(
                table = table.name,
                ?error,
                "failed to maintain partitions; retrying"
            );
        }
    }
}

/// Maintains a table in a separate transaction, because others wait for its locks.
async fn maintain_table(
    pool: &PgPool,
    table: PartitionableTable,
    age: Duration,
) -> Result<(), Error> {
    let Some(mut tx) = begin(pool, Turn::Prune).await? else {
        return Ok(());
    };
    let changes = tarsy_store::partitions::maintain(&mut tx, table, age).await?;
    if changes.is_busy {
        tracing::debug!(
            table = table.name,
            "the table is in use; its partitions wait for the next run"
        );
        tx.rollback().await?;
        return Ok(());
    }
    reached("housekeeping.partitions.before_commit");
    tx.commit().await?;
    reached("housekeeping.partitions.after_commit");
    let PartitionChanges {
        created, dropped, ..
    } = changes;
    if !created.is_empty() || !dropped.is_empty() {
        tracing::info!(
            table = table.name,
            ?created,
            ?dropped,
            "maintained partitions"
        );
    }
    Ok(())
}
