//! Maintains the sums of ended sessions, which lists show.

use std::time::Duration;

use sqlx::PgConnection;

use crate::Error;
use crate::clock_step::STEP_BACK_US;
use crate::late_commits::micros;

/// Stores the sums of up to `limit` sessions that ended, in the order of their ends, and moves the cursor. Returns how
/// many. Call it again at once while that is `limit` or more. Only one caller may run at a time.
///
/// Ends younger than `min_age` are left for later, so that most ends that commit out of order are visible by then. If
/// a session commits even later, its sums are not stored, and lists compute them each time. The same applies to a
/// replayed session until it ends again: stored sums name the end that they belong to.
pub async fn tally_ended_sessions(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
) -> Result<u64, Error> {
    let tallied = sqlx::query_scalar!(
        r#"
        with cursor_now as materialized (
            select case when completed_at_us > now_us() then now_us() - $1 else completed_at_us end as completed_at_us
            from session_tallies_cursor
        ), ended as (
            select session_id, completed_at_us from alert_sessions
            where completed_at_us > (select completed_at_us from cursor_now) and completed_at_us <= now_us() - $2
            order by completed_at_us
            fetch first ($3::bigint) rows with ties
        ), moved as (
            update session_tallies_cursor c
            set completed_at_us = coalesce((select max(completed_at_us) from ended), b.completed_at_us)
            from cursor_now b
            where exists (select from ended) or c.completed_at_us <> b.completed_at_us
        ), kept as (
            insert into session_tallies as kept
                (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, input_tokens,
                 output_tokens, cost_usd, stage_states)
            select e.session_id, e.completed_at_us, t.completed_stages, t.failed_stages, t.llm_calls, t.mcp_calls,
                   t.input_tokens, t.output_tokens, t.cost_usd, case when length(t.stage_states) <= 1000 then t.stage_states end
            from tallies_of(array(select session_id from ended)) t join ended e using (session_id)
            on conflict (session_id) do update set
                completed_at_us = excluded.completed_at_us, completed_stages = excluded.completed_stages,
                failed_stages = excluded.failed_stages, llm_calls = excluded.llm_calls, mcp_calls = excluded.mcp_calls,
                input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd,
                stage_states = excluded.stage_states
        )
        select count(*) as "tallied!" from ended
        "#,
        STEP_BACK_US,
        micros(min_age),
        limit,
    )
    .fetch_one(conn)
    .await?;
    Ok(tallied.unsigned_abs())
}
