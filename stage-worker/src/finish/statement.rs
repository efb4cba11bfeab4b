//! The end of stages in one statement: the fence, output, event, and the next chain job.
//!
//! Like the statement that accepts alerts it speaks of the tables of `tarsy-store` and
//! `tarsy-queue` both (docs/decisions/0005-one-statement-a-transition.md): BEGIN, three statements
//! and COMMIT are five waits for Postgres, and a chain waits for all of them.

use std::collections::HashSet;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{CostCompleteness, ExecutionId, StageStatus, chain_queue};
use tarsy_queue::{DEFAULT_MAX_ATTEMPTS, HEAD_START_SECONDS};
use uuid::Uuid;

use super::{CHAIN_JOB, Finish};

/// Finish the stages whose claims are still held; which they are.
///
/// The job's row is deleted first and stays locked until the commit, so that no takeover can come
/// between. A stage that somebody else has ended (an operator who cancelled) only loses its job.
pub(super) async fn finish_stages(
    conn: &mut PgConnection,
    batch: &[Finish],
) -> Result<HashSet<ExecutionId>, sqlx::Error> {
    let finished = sqlx::query_scalar!(
        r#"
        with stage as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::stage_status[], $6::jsonb[], $7::text[], $8::text[],
                $9::int[], $10::bigint[], $11::bigint[], $12::float8[], $13::text[], $14::int[], $15::uuid[],
                $16::smallint[], $17::text[])
            as s (execution_id, job_id, owner, epoch, status, output, error, error_class,
                  iterations, input_tokens, output_tokens, cost_usd, completeness, stage_count, next_job,
                  priority, traceparent)
        ),
        held as (
            delete from jobs j using stage s
            where j.id = any(array[s.job_id])
              and ($18 or j.owner is not distinct from s.owner and j.epoch = s.epoch)
            returning s.*
        ),
        ended as (
            update stage_executions e
            set status = h.status, stage_output = h.output, error_message = h.error, error_class = h.error_class,
                completed_at_us = now_us(), iterations = h.iterations, input_tokens = h.input_tokens,
                output_tokens = h.output_tokens, cost_usd = h.cost_usd, cost_completeness = h.completeness
            from held h
            where e.execution_id = any(array[h.execution_id])
              and ($18 or e.claim_owner = h.owner and e.claim_epoch = h.epoch and e.status = 'active')
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.attempt, e.status,
                e.error_message, h.stage_count, h.next_job, h.priority, h.traceparent
        ),
        told as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', jsonb_build_object(
                'type', 'stage_progress', 'session_id', session_id, 'execution_id', execution_id,
                'stage_index', stage_index, 'stage_count', stage_count, 'stage_name', stage_name, 'agent', agent,
                'attempt', attempt, 'status', status, 'message', error_message)
            from ended
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, traceparent)
            select next_job, $19, $20, session_id, 'null', priority, 'ready', t.now,
                   t.now - make_interval(secs => priority * $21::float8), $22, traceparent
            from ended, (select clock_timestamp() as now) t
        )
        select execution_id as "execution_id!: ExecutionId" from ended
        "#,
        &column(batch, |f| f.execution_id.as_uuid()),
        &column(batch, |f| f.claim.job_id),
        &column(batch, |f| f.claim.owner),
        &column(batch, |f| f.claim.epoch),
        &column(batch, |f| f.status) as &[StageStatus],
        &column(batch, |f| f.output.as_ref()) as &[Option<&Value>],
        &column(batch, |f| f.error.as_deref()) as &[Option<&str>],
        &column(batch, |f| f.error_class.as_deref()) as &[Option<&str>],
        &column(batch, |f| f.usage.iterations),
        &column(batch, |f| f.usage.tokens.map(|t| t.input_tokens)) as &[Option<i64>],
        &column(batch, |f| f.usage.tokens.map(|t| t.output_tokens)) as &[Option<i64>],
        &column(batch, |f| f.usage.cost.usd),
        &column(batch, |f| completeness(f.usage.cost.completeness)) as &[&str],
        &column(batch, |f| f.stage_count),
        &column(batch, |_| Uuid::now_v7()),
        &column(batch, |f| f.priority),
        &column(batch, |f| f.traceparent.as_deref()) as &[Option<&str>],
        tarsy_failpoint::disabled("fence"),
        chain_queue(),
        CHAIN_JOB,
        HEAD_START_SECONDS,
        DEFAULT_MAX_ATTEMPTS,
    )
    .fetch_all(conn)
    .await?;
    Ok(finished.into_iter().collect())
}

fn completeness(completeness: CostCompleteness) -> &'static str {
    match completeness {
        CostCompleteness::Complete => "complete",
        CostCompleteness::Partial => "partial",
        CostCompleteness::None => "none",
    }
}

fn column<'a, T>(batch: &'a [Finish], field: impl Fn(&'a Finish) -> T) -> Vec<T> {
    batch.iter().map(field).collect()
}
