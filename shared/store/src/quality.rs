//! Quality of answers: scores of each session, and their sums.

use std::time::Duration;

use sqlx::PgConnection;
use tarsy_model::words;

use crate::Error;
use crate::clock_step::STEP_BACK_US;
use crate::late_commits::{LATE_US, micros};
use crate::usage::UsageSpan;

/// Scores up to `limit` sessions that ended, in the order of their ends, and sessions that committed after the cursor
/// had passed them. Returns how many. Call it again at once while that is `limit` or more. Only one caller may run at
/// a time.
///
/// Ends younger than `min_age` are left for later.
pub async fn score_ended_sessions(
    conn: &mut PgConnection,
    limit: i64,
    min_age: Duration,
) -> Result<u64, Error> {
    let scored = sqlx::query_scalar!(
        r#"
        with cursor_now as materialized (
            select case when completed_at_us > now_us() then now_us() - $1 else completed_at_us end as completed_at_us
            from session_scores_cursor
        ), ended as materialized (
            select session_id, completed_at_us from alert_sessions
            where completed_at_us > (select completed_at_us from cursor_now) and completed_at_us <= now_us() - $2
            order by completed_at_us
            fetch first ($3::bigint) rows with ties
        ), late as materialized (
            select s.session_id from alert_sessions s
            left join session_scores k on k.session_id = any(array[s.session_id])
            where s.completed_at_us > (select completed_at_us from cursor_now) - $4
              and s.completed_at_us <= (select completed_at_us from cursor_now)
              and s.parent_session_id is null and k.completed_at_us is distinct from s.completed_at_us
            limit $5
        ), moved as (
            update session_scores_cursor c
            set completed_at_us = coalesce((select max(completed_at_us) from ended), b.completed_at_us)
            from cursor_now b
            where exists (select from ended) or c.completed_at_us <> b.completed_at_us
        ), kept as (
            insert into session_scores as kept
            select scores.*, concluding_configuration(scores.session_id)
            from scores_of(array(select session_id from ended union select session_id from late)) scores
            on conflict (session_id) do update set
                completed_at_us = excluded.completed_at_us, chain_id = excluded.chain_id, model = excluded.model,
                verdict = excluded.verdict, is_without_call = excluded.is_without_call, checked = excluded.checked,
                found = excluded.found, unknown_names = excluded.unknown_names, calls = excluded.calls,
                failed_calls = excluded.failed_calls, repeated_calls = excluded.repeated_calls,
                refused_calls = excluded.refused_calls, silent_servers = excluded.silent_servers, tokens = excluded.tokens,
                cost_usd = excluded.cost_usd, configuration = excluded.configuration
        )
        select (select count(*) from ended) + (select count(*) from late) as "scored!"
        "#,
        STEP_BACK_US,
        micros(min_age),
        limit,
        LATE_US,
        limit,
    )
    .fetch_one(conn)
    .await?;
    Ok(scored.unsigned_abs())
}

/// Grouping of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualityBy {
    /// Chain of the session.
    Chain,
    /// Model that answered most calls of the session.
    Model,
    /// Agent and configuration of the session's last stage.
    Configuration,
}

words!(QualityBy {
    Chain => "chain",
    Model => "model",
    Configuration => "configuration",
});

/// Sums over the sessions with one verdict, either of a group or of a time step.
#[derive(Clone, Debug, Default)]
pub struct QualityRow {
    /// Start of the step, in Unix microseconds; `None` if the row is of a group.
    pub at_us: Option<i64>,
    /// Name of the group.
    pub name: Option<String>,
    /// Verdict of the sessions.
    pub verdict: String,
    /// Number of sessions.
    pub sessions: i64,
    /// Sessions whose answer was rated right.
    pub right: i64,
    /// Sessions whose answer was rated partly right.
    pub partly_right: i64,
    /// Sessions whose answer was rated wrong.
    pub wrong: i64,
    /// Sessions in which tools were offered but never called.
    pub without_call: i64,
    /// Sessions whose answer contains names that no tool result contains.
    pub guessing: i64,
    /// Sessions with a tool server whose calls all failed.
    pub with_gap: i64,
    /// Number of parts of answers that were checked.
    pub checked: i64,
    /// Number of these parts that tool results contain.
    pub found: i64,
    /// Number of tool calls that were sent.
    pub calls: i64,
    /// Number of sent calls that failed.
    pub failed_calls: i64,
    /// Number of sent calls that repeated an earlier call.
    pub repeated_calls: i64,
    /// Number of calls that were not sent.
    pub refused_calls: i64,
    /// Tokens of all model calls.
    pub tokens: i64,
    /// Estimated cost of the model calls that have a price, in dollars.
    pub cost_usd: f64,
}

/// Returns the sums of the sessions that ended in this period, by group and verdict, and by step and verdict.
pub async fn quality(
    conn: &mut PgConnection,
    span: UsageSpan,
    by: QualityBy,
) -> Result<Vec<QualityRow>, Error> {
    Ok(sqlx::query_as!(
        QualityRow,
        r#"
        with parts as materialized (
            -- This is hashed and runs in parallel. Grouping sets would sort every session.
            select (s.completed_at_us - $1) / $2 * $2 + $1 as at_us, case $3::text when 'model' then s.model when 'configuration' then s.configuration
                                                                      else s.chain_id end as name,
                   s.verdict, c.rating, count(*) as sessions, count(*) filter (where s.is_without_call) as without_call,
                   count(*) filter (where s.unknown_names > 0) as guessing, count(*) filter (where s.silent_servers > 0) as with_gap,
                   sum(s.checked) as checked, sum(s.found) as found, sum(s.calls) as calls, sum(s.failed_calls) as failed_calls,
                   sum(s.repeated_calls) as repeated_calls, sum(s.refused_calls) as refused_calls, sum(s.tokens) as tokens,
                   sum(s.cost_usd) as cost_usd
            from session_scores s
            left join (select session_id, rating from session_care where rating is not null) c on c.session_id = s.session_id
            where s.completed_at_us >= $4 and s.completed_at_us < $5
            group by 1, 2, 3, 4
        )
        select at_us, name, verdict as "verdict!", sum(sessions)::bigint as "sessions!",
               coalesce(sum(sessions) filter (where rating = 'right'), 0)::bigint as "right!",
               coalesce(sum(sessions) filter (where rating = 'partly_right'), 0)::bigint as "partly_right!",
               coalesce(sum(sessions) filter (where rating = 'wrong'), 0)::bigint as "wrong!",
               sum(without_call)::bigint as "without_call!", sum(guessing)::bigint as "guessing!", sum(with_gap)::bigint as "with_gap!",
               sum(checked)::bigint as "checked!", sum(found)::bigint as "found!", sum(calls)::bigint as "calls!",
               sum(failed_calls)::bigint as "failed_calls!", sum(repeated_calls)::bigint as "repeated_calls!",
               sum(refused_calls)::bigint as "refused_calls!", sum(tokens)::bigint as "tokens!", sum(cost_usd) as "cost_usd!"
        from parts
        group by grouping sets ((name, verdict), (at_us, verdict))
        order by at_us nulls first, name, verdict
        "#,
        span.step_origin_us,
        span.step_us,
        by.as_str(),
        span.from_us,
        span.until_us,
    )
    .fetch_all(conn)
    .await?)
}

/// Returns whether all sessions are scored, except those that ended in the last ten minutes. `false` for a while after
/// the upgrade.
pub async fn is_scored(conn: &mut PgConnection) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"select not exists (
               select from alert_sessions
               where completed_at_us > (select completed_at_us from session_scores_cursor) and completed_at_us <= now_us() - 600000000
           ) as "is_scored!""#
    )
    .fetch_one(conn)
    .await?)
}
