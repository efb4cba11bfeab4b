//! Fails stages that no live worker can run, after their schedule timeout.
//!
//! Like the statements of a chain's transitions, the statement uses tables of both `tarsy-store` and `tarsy-queue`
//! (docs/decisions/0005-one-statement-a-transition.md).

use std::time::{Duration, Instant};

use sqlx::{PgConnection, PgPool};
use tarsy_failpoint::reached;
use tarsy_model::{Pool, chain_queue, unschedulable_reason};
use tarsy_queue::{Unschedulable, note_unschedulable};

use crate::advance::STAGE_JOB;
use crate::housekeeping::{Turn, begin};
use crate::{CHAIN_JOB, Error};

/// Maximum number of stages per transaction.
const BATCH: i64 = 200;
/// Maximum number of transactions per run, so that another worker gets a turn.
const MOST: usize = 50;
/// Minimum and maximum time between two runs.
const EVERY: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(60));
/// Runs read all ready jobs, so they take at most 1 part in this many of the time.
const SHARE: u32 = 40;

/// Error of a call that was open when its worker was lost.
const LOST_CALL: &str =
    "its worker was lost during this call and no other continues the stage; the outcome is unknown";

/// Fails the stages that no live worker could run for `timeout`, or for their own `schedule_timeout`. Their chains
/// continue. Returns how many stages failed.
///
/// # Errors
///
/// [`Error`]; the stages of the last batch were not changed.
pub async fn fail_unschedulable(pool: &PgPool, timeout: Duration) -> Result<u64, Error> {
    let mut failed = 0;
    for _ in 0..MOST {
        let Some(mut tx) = begin(pool, Turn::Schedule).await? else {
            break;
        };
        let groups = note_unschedulable(&mut tx, STAGE_JOB).await?;
        let batch = match groups.is_empty() {
            true => 0,
            false => fail(&mut tx, &groups, timeout).await?,
        };
        reached("housekeeping.schedule.before_commit");
        tx.commit().await?;
        reached("housekeeping.schedule.after_commit");
        failed += batch;
        if batch < BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(failed)
}

/// Returns the pause before the next run, after a run that began at `started`.
pub(super) fn pause_after(started: Instant) -> Duration {
    let (shortest, longest) = EVERY;
    (started.elapsed() * SHARE).clamp(shortest, longest)
}

/// Fails the stages. Skips a job that is being claimed: its row is locked, and the job is no longer ready once the
/// lock is released. Also skips a job whose session is being cancelled.
async fn fail(
    conn: &mut PgConnection,
    groups: &[Unschedulable],
    timeout: Duration,
) -> Result<u64, sqlx::Error> {
    let ids: Vec<i64> = groups.iter().map(|group| group.id).collect();
    let reasons: Vec<String> = groups.iter().map(reason).collect();
    let failed = sqlx::query_scalar!(
        r#"
        with due as materialized (
            select j.id as job_id, j.priority, j.traceparent, e.execution_id, g.reason,
                   jsonb_array_length(s.chain_definition -> 'stages') as stage_count
            from unnest($1::bigint[], $2::text[]) g (id, reason)
            join unschedulable u on u.id = any(array[g.id])
            join jobs j on j.queue = u.queue and j.state = 'ready' and j.kind = $3
                 and coalesce(j.requires, '{}') = u.requires
            join stage_executions e on e.execution_id = any(array[j.subject])
            join alert_sessions s on s.session_id = any(array[e.session_id])
            cross join lateral (
                select s.chain_definition #> array['stages', e.stage_index::text, 'schedule_timeout_ms'] as own
            ) t
            where e.completed_at_us is null and s.completed_at_us is null
              and greatest(j.run_at, u.since) + interval '1 ms'
                  * case when jsonb_typeof(t.own) = 'number' then t.own::float8 else $4 end <= clock_timestamp()
            order by j.run_at
            limit $5
            for no key update of s skip locked
            for update of j skip locked
        ),
        ended as (
            update stage_executions e
            set status = 'failed', error_class = 'unschedulable',
                error_message = d.reason, completed_at_us = now_us(), iterations = u.iterations,
                input_tokens = u.input_tokens, output_tokens = u.output_tokens, cost_usd = u.cost_usd,
                cost_completeness = u.completeness
            from due d cross join lateral (
                select coalesce(max(iteration), 0) as iterations,
                    sum(input_tokens) filter (where success is not null and output_tokens is not null)::bigint
                        as input_tokens,
                    sum(output_tokens) filter (where success is not null and input_tokens is not null)::bigint
                        as output_tokens,
                    coalesce(sum(cost_usd) filter (where success is not null), 0) as cost_usd,
                    case count(cost_usd) filter (where success is not null)
                        when 0 then 'none' when count(success) then 'complete' else 'partial' end as completeness
                from llm_interactions where stage_execution_id = any(array[d.execution_id])
            ) u
            where e.execution_id = any(array[d.execution_id]) and e.completed_at_us is null
            returning d.job_id, d.priority, d.traceparent, d.stage_count, e.execution_id, e.session_id, e.stage_index,
                e.stage_name, e.agent, e.attempt, e.branch, e.branch_name, e.error_message
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, stage_count, stage_name, agent, attempt, branch, branch_name,
                'failed', error_message)
            from ended
        ),
        ended_model_calls as (
            update llm_interactions
            set success = false, error_class = 'unschedulable', error_message = $6,
                duration_ms = (now_us() - timestamp_us) / 1000
            where stage_execution_id = any(array(select execution_id from ended)) and success is null
        ),
        ended_tool_calls as (
            update mcp_interactions
            set success = false, error_message = $6, duration_ms = (now_us() - timestamp_us) / 1000
            where stage_execution_id = any(array(select execution_id from ended)) and success is null
        ),
        deleted as (
            delete from jobs where id = any(array(select job_id from ended))
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent)
            select gen_random_uuid(), $7, $8, session_id, priority, job_rank(priority, clock_timestamp()), traceparent
            from ended
        )
        select count(*) as "failed!" from ended
        "#,
        &ids,
        &reasons,
        STAGE_JOB,
        timeout.as_secs_f64() * 1000.0,
        BATCH,
        LOST_CALL,
        chain_queue(),
        CHAIN_JOB,
    )
    .fetch_one(conn)
    .await?;
    Ok(failed.unsigned_abs())
}

fn reason(group: &Unschedulable) -> String {
    let pool = Pool::of_queue(&group.queue);
    let (missing, requires) = (&group.missing, &group.requires);
    unschedulable_reason(pool.as_str(), group.has_worker, missing, requires)
}
