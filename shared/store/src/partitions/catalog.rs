//! Reads the partitions of a table from the catalog.

use sqlx::PgConnection;

use super::bounds::Range;
use super::{PartitionKey, PartitionableTable};
use crate::Error;

/// A partition, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Name of the partition's table.
    pub name: String,
    /// First position, inclusive (milliseconds since 1970, or a number); `None`: unbounded.
    pub from: Option<i64>,
    /// End position, exclusive; `None`: unbounded.
    pub to: Option<i64>,
    /// Whether it is the default partition, which takes all rows that fit no other.
    pub is_default: bool,
    /// Size in bytes, including indexes.
    pub bytes: i64,
}

/// A table with its partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePartitions {
    /// The table.
    pub table: PartitionableTable,
    /// Its partitions, oldest first, the default partition last. Empty if the table is plain.
    pub partitions: Vec<Partition>,
}

impl TablePartitions {
    /// Returns whether the table is partitioned.
    #[must_use]
    pub fn is_partitioned(&self) -> bool {
        !self.partitions.is_empty()
    }

    /// Returns the partitions with a range, oldest first.
    pub(super) fn ranges(&self) -> impl DoubleEndedIterator<Item = &Partition> {
        self.partitions.iter().filter(|one| !one.is_default)
    }

    /// Returns the width of the newest bounded partition.
    #[must_use]
    pub fn width(&self) -> Option<i64> {
        self.ranges()
            .rev()
            .find_map(|one| Some(one.to? - one.from?))
    }

    /// Returns the end of the newest partition.
    #[must_use]
    pub fn end(&self) -> Option<i64> {
        self.ranges().next_back()?.to
    }

    /// Returns the start of the oldest partition; `None` if it is unbounded, like the partition that was the plain
    /// table.
    pub(super) fn oldest_start(&self) -> Option<i64> {
        self.ranges().next()?.from
    }

    /// Returns the position up to which rows must be deleted one by one, if rows up to `expired` have expired. These
    /// are rows of dropped partitions, and rows of partitions that should have been dropped a width ago.
    pub(super) fn rows_expire_before(&self, expired: i64) -> i64 {
        match (self.oldest_start(), self.width()) {
            (Some(start), Some(width)) => expired.min(start.max(expired - width)),
            _ => expired,
        }
    }
}

/// Reads the partitions of a table.
pub(super) async fn read(
    conn: &mut PgConnection,
    table: PartitionableTable,
) -> Result<TablePartitions, Error> {
    let rows = sqlx::query!(
        r#"select c.relname::text as "name!", pg_get_expr(c.relpartbound, c.oid) as "bound!",
                  pg_total_relation_size(c.oid) as "bytes!"
           from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = to_regclass($1) and c.relispartition and not i.inhdetachpending"#,
        table.name,
    )
    .fetch_all(conn)
    .await?;
    let mut partitions: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let range = table.key.range(&row.bound);
            let open = Range {
                from: None,
                to: None,
            };
            let Range { from, to } = range.unwrap_or(open);
            Partition {
                name: row.name,
                from,
                to,
                is_default: range.is_none(),
                bytes: row.bytes,
            }
        })
        .collect();
    partitions.sort_by_key(|one| (one.is_default, one.from));
    Ok(TablePartitions { table, partitions })
}

/// Returns the position of new rows: the database's clock, or the last number that the sequence assigned.
pub(super) async fn position(conn: &mut PgConnection, key: PartitionKey) -> Result<i64, Error> {
    let position = match key {
        PartitionKey::Time => sqlx::query_scalar!(r#"select now_us() / 1000 as "now!""#)
            .fetch_one(conn)
            .await?,
        PartitionKey::Number => sqlx::query_scalar!(
            r#"select coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'id')::regclass), 0) as "last!""#
        )
        .fetch_one(conn)
        .await?,
    };
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitions::PARTITIONABLE_TABLES;

    fn table(ranges: &[(Option<i64>, Option<i64>)]) -> TablePartitions {
        let partitions = ranges.iter().map(|(from, to)| Partition {
            name: String::new(),
            from: *from,
            to: *to,
            is_default: false,
            bytes: 0,
        });
        TablePartitions {
            table: PARTITIONABLE_TABLES[0],
            partitions: partitions.collect(),
        }
    }

    #[test]
    fn rows_of_a_plain_table_and_of_the_one_that_was_plain_expire_at_once() {
        assert_eq!(table(&[]).rows_expire_before(100), 100);
        let was_plain = table(&[(None, Some(50)), (Some(50), Some(60))]);
        assert_eq!(was_plain.rows_expire_before(100), 100);
    }

    #[test]
    fn rows_of_a_partition_wait_for_its_drop_but_not_longer_than_its_width() {
        let table = table(&[(Some(90), Some(100)), (Some(100), Some(110))]);
        assert_eq!(table.rows_expire_before(95), 90);
        assert_eq!(table.rows_expire_before(80), 80);
        assert_eq!(table.rows_expire_before(120), 110);
    }
}
