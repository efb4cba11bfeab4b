//! Deletes expired sessions, events and interactions, in small batches.
//!
//! Each function deletes one small batch, so that others don't wait for it. Call it again while it returns the maximum
//! number.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;
use crate::partitions::{events_expire_after, expired_before_us};

/// Time between two prunes of a chain worker.
pub const PRUNE_INTERVAL: Duration = Duration::from_secs(60);

/// Deletes sessions that ended longer than `age` ago, with their rows. Returns how many. If interactions are
/// partitioned, a session is kept until its partition is dropped, at most one partition width longer.
pub async fn prune_sessions(
    conn: &mut PgConnection,
    age: Duration,
    limit: i64,
) -> Result<u64, Error> {
    let before_us = expired_before_us(conn, age).await?;
    let done = sqlx::query!(
        "delete from alert_sessions where session_id = any(array(
             select session_id from alert_sessions
             where completed_at_us < $1 and status in ('completed', 'failed', 'cancelled')
             order by completed_at_us limit $2 for update skip locked))",
        before_us,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes events older than `age`, lowest ids first. Returns how many. If events are partitioned, deletes only those
/// older than twice `age`, because partitions are dropped before that.
pub async fn prune_events(
    conn: &mut PgConnection,
    age: Duration,
    limit: i64,
) -> Result<u64, Error> {
    let age = events_expire_after(conn, age).await?;
    let done = sqlx::query!(
        "delete from events where id = any(array(
             select id from (select id, created_at from events order by id limit $1) oldest
             where created_at < now() - make_interval(secs => $2)))",
        limit,
        age.as_secs_f64(),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes the interactions of sessions that have ended (`HISTORY_ENABLED=false`). Returns how many. While a session
/// runs, a resumed stage needs them to continue.
pub async fn drop_ended_interactions(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let llm = sqlx::query!(
        "delete from llm_interactions where interaction_id = any(array(
             select i.interaction_id from llm_interactions i join alert_sessions s using (session_id)
             where s.status in ('completed', 'failed', 'cancelled') limit $1))",
        limit,
    )
    .execute(&mut *conn)
    .await?;
    let mcp = sqlx::query!(
        "delete from mcp_interactions where interaction_id = any(array(
             select i.interaction_id from mcp_interactions i join alert_sessions s using (session_id)
             where s.status in ('completed', 'failed', 'cancelled') limit $1))",
        limit,
    )
    .execute(conn)
    .await?;
    Ok(llm.rows_affected() + mcp.rows_affected())
}
