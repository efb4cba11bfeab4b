//! Gauges of conditions that slow Postgres down over time, and of pending deliveries.

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

/// Rows of a table, as counted by the statistics of Postgres.
#[derive(Clone, Debug)]
pub struct TableRows {
    /// Name of the table.
    pub table: String,
    /// Number of live rows.
    pub live: i64,
    /// Number of dead rows that vacuum has not removed yet.
    pub dead: i64,
}

/// Pending deliveries of one target: neither delivered nor failed permanently.
#[derive(Clone, Debug)]
pub struct PendingDeliveries {
    /// Name of the target.
    pub target: String,
    /// Number of deliveries.
    pub deliveries: i64,
}

/// Returns the age of the oldest snapshot in use, in transactions. Rows that died since then can't be removed.
/// Includes sessions of this database, replication slots and prepared transactions. A role without `pg_monitor` sees
/// only its own sessions.
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

/// Returns the row counts of the tables that every alert writes to, including partitions. Reads only statistics.
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

/// Counts pending deliveries by target. Reads only undelivered rows, by their index.
pub async fn pending_deliveries(conn: &mut PgConnection) -> Result<Vec<PendingDeliveries>, Error> {
    Ok(sqlx::query_as!(
        PendingDeliveries,
        r#"select target, count(*) as "deliveries!" from webhook_deliveries
           where state = 'pending' and state <> 'delivered' group by target"#
    )
    .fetch_all(conn)
    .await?)
}
