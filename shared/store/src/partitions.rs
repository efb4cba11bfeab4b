//! Partitions of the tables that grow: interactions by time, events by number.
//!
//! A new database has plain tables, which are faster to write ([0053](../../../docs/decisions/0053-partitions.md)).
//! [`enable`] converts them to partitioned tables while tarsy is running. From then on [`maintain`] creates the next
//! partitions, and drops those whose sessions have all expired. Dropping a partition leaves no dead rows.

mod bounds;
mod catalog;
mod ddl;
mod enable;
mod maintain;
mod swap;

use std::time::Duration;

use sqlx::PgConnection;

pub(crate) use self::bounds::lowest_uuid as lowest_id;
pub use self::catalog::{Partition, TablePartitions};
pub use self::enable::{EnablePartitionsError, enable};
pub use self::maintain::{PartitionChanges, maintain};

use crate::Error;

/// Type of the positions in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionKey {
    /// A UUIDv7, by its time in milliseconds since 1970.
    Time,
    /// A number from a sequence.
    Number,
}

/// A table that can be partitioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionableTable {
    /// Name of the table.
    pub name: &'static str,
    /// Primary key. Partitions are ranges of it.
    pub column: &'static str,
    /// Type of that key.
    pub key: PartitionKey,
    /// Whether its rows belong to sessions. If so, a partition is kept while a session that began before its end
    /// exists.
    pub has_sessions: bool,
}

/// The tables that grow with every alert and whose rows expire.
pub const PARTITIONABLE_TABLES: [PartitionableTable; 3] = [
    PartitionableTable {
        name: "llm_interactions",
        column: "interaction_id",
        key: PartitionKey::Time,
        has_sessions: true,
    },
    PartitionableTable {
        name: "mcp_interactions",
        column: "interaction_id",
        key: PartitionKey::Time,
        has_sessions: true,
    },
    PartitionableTable {
        name: "events",
        column: "id",
        key: PartitionKey::Number,
        has_sessions: false,
    },
];

/// The table of changes, which is partitioned from the start, by week.
pub const CHANGES_TABLE: PartitionableTable = PartitionableTable {
    name: "changes",
    column: "change_id",
    key: PartitionKey::Time,
    has_sessions: false,
};

/// Width of the partitions of [`CHANGES_TABLE`], as in its migration.
pub(crate) const PARTITION_WIDTH: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Number of events in one partition: about 1.5 GB.
const EVENTS_WIDTH: i64 = 5_000_000;

/// Number of partitions that are created ahead of time. If all chain workers are down for longer than these cover,
/// rows go to the default partition.
const AHEAD: i64 = 4;

/// Maximum wait for a lock that other statements queue for. Shorter than `deadlock_timeout`, so that no other
/// transaction is aborted.
const LOCK_TIMEOUT: &str = "set local lock_timeout = '200ms'";

/// Returns the partitions of each table of [`PARTITIONABLE_TABLES`], in the same order. A plain table has none.
pub async fn partitions(conn: &mut PgConnection) -> Result<Vec<TablePartitions>, Error> {
    let mut tables = Vec::with_capacity(PARTITIONABLE_TABLES.len());
    for table in PARTITIONABLE_TABLES {
        tables.push(catalog::read(conn, table).await?);
    }
    Ok(tables)
}

/// Returns the time before which a session must have ended to be deleted now, in microseconds since 1970: `age` ago.
/// If interactions are partitioned, a session is kept for up to one partition width longer, until its interactions are
/// dropped with their partition. After that they are deleted row by row.
pub(crate) async fn expired_before_us(
    conn: &mut PgConnection,
    age: Duration,
) -> Result<i64, Error> {
    let now_us = sqlx::query_scalar!(r#"select now_us() as "now!""#)
        .fetch_one(&mut *conn)
        .await?;
    let expired_us = now_us - i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2);
    let mut cut_us = expired_us;
    for table in partitions(conn).await? {
        if table.table.key == PartitionKey::Time {
            cut_us = cut_us.min(table.rows_expire_before(expired_us / 1_000) * 1_000);
        }
    }
    Ok(cut_us)
}

/// Returns the age at which events are deleted row by row. If they are partitioned, their partitions are dropped
/// before that.
pub(crate) async fn events_expire_after(
    conn: &mut PgConnection,
    age: Duration,
) -> Result<Duration, Error> {
    let [.., events] = PARTITIONABLE_TABLES;
    let is_dropped_whole = catalog::read(conn, events).await?.oldest_start().is_some();
    Ok(if is_dropped_whole { age * 2 } else { age })
}
