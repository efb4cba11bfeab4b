//! Partitions of the tables that grow: interactions by time, events by number.
//!
//! A new database has plain tables, which are faster to write ([0053](../../../docs/decisions/0053-partitions.md)).
//! [`enable`] turns them into partitioned tables while a fleet works on them; from then on [`maintain`] makes the next
//! partitions and drops those whose sessions have all expired, which leaves no dead rows behind.

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

/// What positions in a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionKey {
    /// A UUIDv7, by its milliseconds since 1970.
    Time,
    /// A number of a sequence.
    Number,
}

/// A table that can be partitioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionableTable {
    /// Its name.
    pub name: &'static str,
    /// Its primary key, by whose ranges it is partitioned.
    pub column: &'static str,
    /// What that key is.
    pub key: PartitionKey,
    /// Whether its rows belong to sessions: a partition then stays while a session that began before its end is kept.
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

/// Changes, which are partitioned from the start, a week in each.
pub const CHANGES_TABLE: PartitionableTable = PartitionableTable {
    name: "changes",
    column: "change_id",
    key: PartitionKey::Time,
    has_sessions: false,
};

/// Width of the partitions of [`CHANGES_TABLE`], as its migration has it.
pub(crate) const PARTITION_WIDTH: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Events of one partition: some 1.5 GB.
const EVENTS_WIDTH: i64 = 5_000_000;

/// Partitions that are made ahead of time: as long may every chain worker be down before rows go to the default
/// partition.
const AHEAD: i64 = 4;

/// Longest wait for a lock that others queue behind. Shorter than `deadlock_timeout`, so that nobody else's transaction
/// is ended.
const LOCK_TIMEOUT: &str = "set local lock_timeout = '200ms'";

/// The partitions of each table of [`PARTITIONABLE_TABLES`], in their order; none of a plain table.
pub async fn partitions(conn: &mut PgConnection) -> Result<Vec<TablePartitions>, Error> {
    let mut tables = Vec::with_capacity(PARTITIONABLE_TABLES.len());
    for table in PARTITIONABLE_TABLES {
        tables.push(catalog::read(conn, table).await?);
    }
    Ok(tables)
}

/// Until when a session must have ended to be deleted now, in microseconds since 1970: `age` ago. Where interactions
/// are partitioned, a session waits up to one partition's width longer, until its interactions are dropped with their
/// partition; after that they are deleted row by row.
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

/// Age at which events are deleted row by row: where they are partitioned, partitions are dropped before.
pub(crate) async fn events_expire_after(
    conn: &mut PgConnection,
    age: Duration,
) -> Result<Duration, Error> {
    let [.., events] = PARTITIONABLE_TABLES;
    let is_dropped_whole = catalog::read(conn, events).await?.oldest_start().is_some();
    Ok(if is_dropped_whole { age * 2 } else { age })
}
