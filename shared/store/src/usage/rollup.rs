//! Maintains the sums of usage after the ends of sessions.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;
use crate::clock_step::STEP_BACK_US;
use crate::late_commits::{LATE_US, micros};

/// Counts the calls of up to `limit` sessions that ended, in the order of their ends, and moves the cursor. Returns
/// how many sessions. Call it again at once while that is `limit` or more. Only one caller may run at a time.
///
/// Ends younger than `min_age` are left for later; [`count_late_usage`] finds those that committed even later. Of a
/// replayed session only the new calls are counted.
pub async fn count_ended_usage(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
) -> Result<u64, Error> {
    sqlx::query!(
        "update usage_cursor set completed_at_us = now_us() - $1 where completed_at_us > now_us()",
        STEP_BACK_US,
    )
    .execute(&mut *conn)
    .await?;
    let ended = sqlx::query!(
        r#"select session_id, completed_at_us as "completed_at_us!" from alert_sessions
           where completed_at_us > (select completed_at_us from usage_cursor) and completed_at_us <= now_us() - $1
           order by completed_at_us
           fetch first ($2::bigint) rows with ties"#,
        micros(min_age),
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let Some(last) = ended.last() else {
        return Ok(0);
    };
    sqlx::query!(
        "update usage_cursor set completed_at_us = $1",
        last.completed_at_us
    )
    .execute(&mut *conn)
    .await?;
    let sessions: Vec<_> = ended.iter().map(|session| session.session_id).collect();
    sqlx::query_scalar!("select count_usage($1)", &sessions)
        .fetch_one(conn)
        .await?;
    Ok(sessions.len() as u64)
}

/// Counts up to `limit` sessions with calls that committed their end after the cursor had passed it. Searches the last
/// five minutes before the cursor for sessions that are not counted. Returns how many it counted.
pub async fn count_late_usage(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let late = sqlx::query_scalar!(
        r#"select s.session_id from alert_sessions s
           left join session_usage_marks m on m.session_id = any(array[s.session_id])
           where s.completed_at_us > (select completed_at_us from usage_cursor) - $1
             and s.completed_at_us <= (select completed_at_us from usage_cursor)
             and s.completed_at_us > coalesce(m.counted_until_us, 0)
             and (exists (select from llm_interactions i where i.session_id = any(array[s.session_id]))
                  or exists (select from mcp_interactions i where i.session_id = any(array[s.session_id])))
           limit $2"#,
        LATE_US,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    sqlx::query_scalar!("select count_usage($1)", &late)
        .fetch_one(conn)
        .await?;
    Ok(late.len() as u64)
}

/// Deletes hours older than `age`, up to `limit` rows.
pub async fn prune_usage(conn: &mut PgConnection, age: Duration, limit: i64) -> Result<u64, Error> {
    let done = sqlx::query!(
        "delete from usage_hours where ctid = any(array(
             select ctid from usage_hours where hour_us < now_us() - $1::bigint limit $2))",
        i64::try_from(age.as_micros()).unwrap_or(i64::MAX / 2),
        limit,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
