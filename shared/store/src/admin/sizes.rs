//! Table sizes, and counts of expired rows.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;
use crate::partitions::{events_expire_after, expired_before_us};

/// Size of a table on disk.
#[derive(Clone, Debug)]
pub struct TableSize {
    /// Name of the table.
    pub table: String,
    /// Estimated number of live rows, from the statistics.
    pub rows: i64,
    /// Bytes, including indexes and out-of-line storage (TOAST).
    pub bytes: i64,
}

/// Returns the sizes of all tables, largest first. A partitioned table is the sum of its partitions.
pub async fn table_sizes(conn: &mut PgConnection) -> Result<Vec<TableSize>, Error> {
    let sizes = sqlx::query_as!(
        TableSize,
        r#"select whole.relname::text as "table!", sum(t.n_live_tup)::bigint as "rows!",
                  sum(pg_total_relation_size(t.relid))::bigint as "bytes!"
           from pg_stat_user_tables t
           join pg_class whole on whole.oid = coalesce(pg_partition_root(t.relid)::oid, t.relid)
           where t.schemaname = current_schema()
           group by whole.oid
           order by 3 desc, 1"#
    )
    .fetch_all(conn)
    .await?;
    Ok(sizes)
}

/// Numbers of expired rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overdue {
    /// Ended sessions.
    pub sessions: i64,
    /// Events.
    pub events: i64,
}

/// Counts the rows that [`prune_sessions`](crate::retention::prune_sessions) and
/// [`prune_events`](crate::retention::prune_events) would delete.
pub async fn count_overdue(
    conn: &mut PgConnection,
    sessions: Duration,
    events: Duration,
) -> Result<Overdue, Error> {
    let before_us = expired_before_us(conn, sessions).await?;
    let events_age = events_expire_after(conn, events).await?;
    let overdue = sqlx::query_as!(
        Overdue,
        r#"select (select count(*) from alert_sessions
                   where completed_at_us < $1 and status in ('completed', 'failed', 'cancelled'))
                      as "sessions!",
                  (select count(*) from events where created_at < now() - make_interval(secs => $2)) as "events!""#,
        before_us,
        events_age.as_secs_f64(),
    )
    .fetch_one(conn)
    .await?;
    Ok(overdue)
}
