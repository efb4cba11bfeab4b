//! Counts sequential scans of large tables.

use std::time::Duration;

use anyhow::{Result, ensure};
use sqlx::PgPool;
use tarsy_testing::wait;

/// Tables that grow with the number of sessions.
pub(super) const LARGE: [&str; 5] = [
    "alert_sessions",
    "stage_executions",
    "llm_interactions",
    "mcp_interactions",
    "session_search",
];

/// Returns the number of sequential scans of each large table so far.
pub(super) async fn counted(pool: &PgPool) -> Result<Vec<(String, i64)>> {
    // Statistics are flushed only when a connection is idle. This call flushes them now.
    sqlx::query("select pg_stat_force_next_flush()")
        .execute(pool)
        .await?;
    Ok(sqlx::query_as(
        "select relname::text, seq_scan from pg_stat_user_tables where relname = any($1) order by relname",
    )
    .bind(LARGE.map(str::to_owned).to_vec())
    .fetch_all(pool)
    .await?)
}

/// Returns the tables scanned since `before`, with the number of scans.
pub(super) async fn since(pool: &PgPool, before: &[(String, i64)]) -> Result<Vec<(String, i64)>> {
    let after = counted(pool).await?;
    let grown = after.into_iter().zip(before);
    Ok(grown
        .map(|((table, after), (_, before))| (table, after - before))
        .filter(|(_, times)| *times > 0)
        .collect())
}

/// Waits until every other connection has closed, because a backend flushes its statistics at the latest when it ends.
pub(super) async fn await_disconnects(pool: &PgPool) -> Result<()> {
    let others = async || {
        let others: Result<i64, _> = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
        )
        .fetch_one(pool)
        .await;
        others.is_ok_and(|others| others == 0)
    };
    let gone = wait::up_to(Duration::from_secs(30), others).await;
    ensure!(
        gone.is_some(),
        "somebody else is connected to the measured database"
    );
    Ok(())
}
