//! Maintains the sums of past hours.

use sqlx::PgConnection;

use crate::Error;
use crate::clock_step::STEP_BACK_US;

/// An hour in µs.
pub(super) const HOUR_US: i64 = 3_600_000_000;
/// How long an hour must be over before it is summed up. Sessions are committed shortly after their start time, and by
/// then most have ended.
const SETTLED_US: i64 = HOUR_US;
/// Maximum delay between the end time of a session and its commit. This period is read again.
const OVERLAP_US: i64 = 10_000_000;

/// Sums up at most `limit` past hours, and again those in which a session has ended since. Returns how many hours were
/// summed up. Call it again at once while that is `limit` or more.
///
/// The caller must ensure that only one call runs at a time. If a session of a past hour is replayed, the sums show
/// its earlier state until it ends again. Readers of the sums therefore read such sessions themselves.
pub async fn sum_up_hours(conn: &mut PgConnection, limit: i64) -> Result<u64, Error> {
    let state = sqlx::query!(
        r#"select rolled_until_us, seen_until_us, now_us() as "now_us!",
                  (select min(started_at_us) from alert_sessions) as oldest_us
           from session_hours_state for update"#
    )
    .fetch_one(&mut *conn)
    .await?;
    let Some(oldest_us) = state.oldest_us else {
        return Ok(0);
    };
    let oldest = oldest_us / HOUR_US * HOUR_US;
    let over = (state.now_us - SETTLED_US) / HOUR_US * HOUR_US;
    // Both times are in the future if Postgres' clock was set back.
    let from = state.rolled_until_us.min(over).max(oldest);
    let seen_until_us = match state.seen_until_us > state.now_us {
        true => state.now_us - STEP_BACK_US,
        false => state.seen_until_us,
    };
    let until = from.max(over.min(from.saturating_add(limit.saturating_mul(HOUR_US))));
    let changed = sqlx::query_scalar!(
        r#"select distinct started_at_us / $1 * $1 as "hour_us!" from alert_sessions
           where completed_at_us >= $2 and completed_at_us is not null and started_at_us >= $3 and started_at_us < $4"#,
        HOUR_US,
        seen_until_us - OVERLAP_US,
        oldest,
        from,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut hours: Vec<i64> = (from..until).step_by(HOUR_US as usize).collect();
    hours.extend(changed);
    replace(conn, &hours, oldest).await?;
    sqlx::query!(
        "update session_hours_state set rolled_until_us = $1, seen_until_us = $2",
        until,
        state.now_us,
    )
    .execute(conn)
    .await?;
    Ok(hours.len() as u64)
}

/// Sums up these hours again, and deletes those before `oldest`.
async fn replace(conn: &mut PgConnection, hours: &[i64], oldest: i64) -> Result<(), Error> {
    sqlx::query!(
        "delete from session_hours where hour_us = any($1) or hour_us < $2",
        hours,
        oldest,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into session_hours (hour_us, status, alert_type, sessions, ended, duration_ms, duplicates)
         select h.hour_us, s.*
         from unnest($1::bigint[]) as h (hour_us)
         cross join lateral (
             select status, alert_type, count(*), count(completed_at_us),
                    coalesce(sum((completed_at_us - started_at_us) / 1000), 0)::bigint, sum(duplicate_count)::bigint
             from alert_sessions where started_at_us >= h.hour_us and started_at_us < h.hour_us + $2
               and parent_session_id is null
             group by status, alert_type
         ) s",
        hours,
        HOUR_US,
    )
    .execute(conn)
    .await?;
    Ok(())
}
