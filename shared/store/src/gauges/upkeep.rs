//! Gauges of what slows Postgres down over time, and of deliveries that wait.

use sqlx::PgConnection;

use crate::Error;

/// Tables that every alert writes to.
const HOT_TABLES: [&str; 7] = [
    "alert_sessions",
    "events",
    "jobs",
    "llm_interactions",
    "mcp_interactions",
    "stage_executions",
    "workers",
];

/// Rows of a table as the statistics of Postgres count them.
#[derive(Clone, Debug)]
pub struct TableRows {
    /// The table.
    pub table: String,
    /// Rows that are visible.
    pub live: i64,
    /// Rows that nobody sees any more and vacuum has not removed.
    pub dead: i64,
}

/// Deliveries of one target that have neither arrived nor failed for good.
#[derive(Clone, Debug)]
pub struct PendingDeliveries {
    /// Name of the target.
    pub target: String,
    /// Number of deliveries.
    pub deliveries: i64,
}

/// Age of the oldest snapshot that somebody holds, in transactions: rows that died since can't be removed. Of sessions of
/// this database, replication slots and prepared transactions; a role without `pg_monitor` sees its own sessions alone.
pub async fn oldest_snapshot_age(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"
        select coalesce(max(age(held.xmin)), 0)::int8 as "age!"
        from (
            select backend_xmin as xmin from pg_stat_activity
            where backend_xmin is not null and (datname is null or datname = current_database())
            union all select xmin from pg_replication_slots where xmin is not null
            union all select transaction from pg_prepared_xacts where database = current_database()
        ) held
        "#
    )
    .fetch_one(conn)
    .await?)
}

/// Rows of the tables that every alert writes to, partitions included. Reads statistics alone.
pub async fn hot_table_rows(conn: &mut PgConnection) -> Result<Vec<TableRows>, Error> {
    let tables = HOT_TABLES.map(str::to_owned);
    Ok(sqlx::query_as!(
        TableRows,
        r#"select whole.relname::text as "table!", sum(n_live_tup)::bigint as "live!", sum(n_dead_tup)::bigint as "dead!"
           from pg_stat_user_tables t
           join pg_class whole on whole.oid = coalesce(pg_partition_root(t.relid)::oid, t.relid)
           where t.schemaname = current_schema() and whole.relname = any($1)
           group by whole.oid order by 1"#,
        &tables as &[String],
    )
    .fetch_all(conn)
    .await?)
}

/// Counts pending deliveries by target. Reads those that have not arrived, by their index.
pub async fn pending_deliveries(conn: &mut PgConnection) -> Result<Vec<PendingDeliveries>, Error> {
    Ok(sqlx::query_as!(
        PendingDeliveries,
        r#"select target, count(*) as "deliveries!" from webhook_deliveries
           where state = 'pending' and state <> 'delivered' group by target"#
    )
    .fetch_all(conn)
    .await?)
}
