//! Maintains partitions: creates them ahead of time and drops expired ones.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use super::bounds::{aligned, millis, missing_starts};
use super::ddl::{add_partition, check_name, is_locked, run};
use super::{
    AHEAD, EVENTS_WIDTH, LOCK_TIMEOUT, Partition, PartitionKey, PartitionableTable,
    TablePartitions, catalog,
};
use crate::Error;

/// How much the clocks of machines may differ, in milliseconds. An interaction may appear to be this much older than
/// its session.
const CLOCKS_DIFFER: i64 = 3_600_000;

/// Result of [`maintain`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionChanges {
    /// Names of the partitions that were created.
    pub created: Vec<String>,
    /// Names of the partitions that were dropped with their rows.
    pub dropped: Vec<String>,
    /// Whether other transactions held locks on the table. Nothing was done, and the transaction can only be rolled
    /// back.
    pub is_busy: bool,
}

/// Creates the next partitions of a table, and drops those whose rows have all expired: interactions of sessions that
/// ended longer than `age` ago, and events and changes older than `age`. Does nothing to a plain table, except that it
/// removes what a killed [`enable`](super::enable) has left there. Use a separate transaction, because others wait for
/// its locks.
pub async fn maintain(
    tx: &mut PgConnection,
    table: PartitionableTable,
    age: Duration,
) -> Result<PartitionChanges, Error> {
    run(tx, LOCK_TIMEOUT.to_owned()).await?;
    let mut changes = PartitionChanges::default();
    match maintain_locked(tx, table, age, &mut changes).await {
        Ok(()) => Ok(changes),
        Err(Error::Database(error)) if is_locked(&error) => Ok(PartitionChanges {
            is_busy: true,
            ..PartitionChanges::default()
        }),
        Err(error) => Err(error),
    }
}

async fn maintain_locked(
    tx: &mut PgConnection,
    table: PartitionableTable,
    age: Duration,
    changes: &mut PartitionChanges,
) -> Result<(), Error> {
    let found = catalog::read(tx, table).await?;
    let position = catalog::position(tx, table.key).await?;
    let (Some(width), Some(end), Some(model)) = (
        found.width(),
        found.end(),
        found.ranges().next_back().map(|one| one.name.clone()),
    ) else {
        return drop_left_check(tx, table, position).await;
    };
    let end = end.max(after_default(tx, &found, width).await?);
    for from in missing_starts(end, width, position, AHEAD) {
        let name = add_partition(tx, table, &model, from, from + width).await?;
        changes.created.push(name);
    }
    for partition in found.ranges() {
        if !has_expired(tx, table, partition, position, age).await? {
            break;
        }
        run(tx, format!("drop table {}", partition.name)).await?;
        changes.dropped.push(partition.name.clone());
    }
    Ok(())
}

/// Returns the first position at which a partition can begin so that no row of the default partition belongs to it.
async fn after_default(
    tx: &mut PgConnection,
    found: &TablePartitions,
    width: i64,
) -> Result<i64, Error> {
    let Some(rest) = found.partitions.iter().find(|one| one.is_default) else {
        return Ok(i64::MIN);
    };
    let column = found.table.column;
    let last = format!(
        "select {column} from {} order by {column} desc limit 1",
        rest.name
    );
    let last = sqlx::AssertSqlSafe(last);
    let last = match found.table.key {
        PartitionKey::Number => sqlx::query_scalar(last).fetch_optional(tx).await?,
        PartitionKey::Time => {
            let id: Option<Uuid> = sqlx::query_scalar(last).fetch_optional(tx).await?;
            id.map(millis)
        }
    };
    Ok(last.map_or(i64::MIN, |last: i64| aligned(last + 1, width)))
}

/// Returns whether all rows of a partition have expired.
async fn has_expired(
    tx: &mut PgConnection,
    table: PartitionableTable,
    partition: &Partition,
    position: i64,
    age: Duration,
) -> Result<bool, Error> {
    let Some(to) = partition.to.filter(|to| *to <= position) else {
        return Ok(false);
    };
    match table.key {
        PartitionKey::Time => {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX / 2);
            if to > position - age {
                return Ok(false);
            }
            if !table.has_sessions {
                return Ok(true);
            }
            let sessions_before = table.key.literal(to + CLOCKS_DIFFER);
            let sessions_before = sessions_before
                .trim_matches('\'')
                .parse()
                .unwrap_or(Uuid::max());
            let kept = sqlx::query_scalar!(
                r#"select exists(select from alert_sessions
                          where session_id < $1 and (completed_at_us is null or completed_at_us >= $2)) as "kept!""#,
                sessions_before,
                (position - age) * 1_000,
            )
            .fetch_one(tx)
            .await?;
            Ok(!kept)
        }
        PartitionKey::Number => {
            let newest = format!(
                "select coalesce((select created_at < now() - make_interval(secs => $1) from {} \
                 order by {} desc limit 1), true)",
                partition.name, table.column
            );
            let expired = sqlx::query_scalar(sqlx::AssertSqlSafe(newest))
                .bind(age.as_secs_f64())
                .fetch_one(tx)
                .await?;
            Ok(expired)
        }
    }
}

/// Drops the check constraint of a killed [`enable`](super::enable) before it rejects rows.
async fn drop_left_check(
    tx: &mut PgConnection,
    table: PartitionableTable,
    position: i64,
) -> Result<(), Error> {
    let name = table.name;
    let check = check_name(name);
    let bound: Option<String> = sqlx::query_scalar(
        "select (regexp_match(pg_get_constraintdef(oid), '< ''?([-0-9a-f]+)'))[1] from pg_constraint
         where conrelid = to_regclass($1) and conname = $2",
    )
    .bind(name)
    .bind(&check)
    .fetch_optional(&mut *tx)
    .await?
    .flatten();
    let Some(bound) = bound.and_then(|bound| table.key.position(&bound)) else {
        return Ok(());
    };
    let margin = match table.key {
        PartitionKey::Time => 6 * 3_600_000,
        PartitionKey::Number => EVENTS_WIDTH / 2,
    };
    if bound - position < margin {
        run(tx, format!("alter table {name} drop constraint {check}")).await?;
    }
    Ok(())
}
