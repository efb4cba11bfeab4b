//! Stages become due in one statement: the fence, their rows, sessions, events and jobs.
//!
//! Like the statement that accepts alerts it speaks of the tables of `tarsy-store` and
//! `tarsy-queue` both (docs/decisions/0005-one-statement-a-transition.md).

use std::collections::{BTreeSet, HashSet};

use sqlx::PgConnection;
use tarsy_queue::{DEFAULT_MAX_ATTEMPTS, HEAD_START_SECONDS};
use uuid::Uuid;

use super::{STAGE_JOB, Start};

/// Make the stages due whose claims are still held; answers those claims' jobs, and the queues that
/// got jobs.
///
/// An attempt that was there already has its job, or has ended, and is left alone; a session that
/// has ended gets none.
///
/// The commit does not wait for the disk, as that of a begin: a start that a crash of Postgres undoes
/// is decided again from the rows, and whatever is recorded later is a durable commit that carries
/// this one.
pub(super) async fn start_stages(
    conn: &mut PgConnection,
    batch: &[Start],
) -> Result<(HashSet<Uuid>, BTreeSet<String>), sqlx::Error> {
    let queues: Vec<String> = batch.iter().map(Start::queue).collect();
    let held = sqlx::query!(
        r#"
        with due as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::text[],
                $9::text[], $10::text[], $11::text[], $12::int[], $13::int[], $14::bigint[], $15::int[], $16::uuid[],
                $17::text[], $18::smallint[], $19::text[])
            as d (job_id, owner, epoch, execution_id, session_id, stage_index, stage_name, agent,
                  iteration_strategy, llm_provider, pool, attempt, round, timeout_ms, stage_count, next_job,
                  queue, priority, traceparent)
        ),
        held as (
            delete from jobs j
            using due d, (select set_config('synchronous_commit', 'off', true) as setting) relaxed
            where relaxed.setting is not null and j.id = any(array[d.job_id])
              and ($20 or j.owner is not distinct from d.owner and j.epoch = d.epoch)
            returning d.*
        ),
        live as materialized (
            select session_id from alert_sessions
            where session_id = any(array(select session_id from held)) and completed_at_us is null
            for no key update
        ),
        fresh as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms)
            select execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider, pool,
                   attempt, round, timeout_ms
            from held where (session_id in (select session_id from live)) is true
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, session_id, stage_index, stage_id
        ),
        started as materialized (
            select * from held where (execution_id in (select execution_id from fresh)) is true
        ),
        current as (
            update alert_sessions s
            set status = 'in_progress', current_stage_index = n.stage_index, current_stage_id = n.stage_id
            from fresh n where s.session_id = any(array[n.session_id])
        ),
        told as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', 'in_progress')
            from started where stage_index = 0 and round = 0
            union all
            select session_id, 'stage_progress', jsonb_build_object(
                'type', 'stage_progress', 'session_id', session_id, 'execution_id', execution_id,
                'stage_index', stage_index, 'stage_count', stage_count, 'stage_name', stage_name,
                'agent', agent, 'attempt', attempt, 'status', 'pending')
            from started
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, traceparent,
                              requires)
            select next_job, queue, $21, execution_id, 'null', priority, 'ready', t.now,
                   t.now - make_interval(secs => priority * $22::float8), $23, traceparent,
                   stage_requires(agent, llm_provider)
            from started, (select clock_timestamp() as now) t
        )
        select job_id as "job_id!", case when execution_id in (select execution_id from fresh) then queue end as "queue?"
        from held
        "#,
        &column(batch, |s| s.claim.job_id),
        &column(batch, |s| s.claim.owner),
        &column(batch, |s| s.claim.epoch),
        &column(batch, |s| s.stage.execution_id.as_uuid()),
        &column(batch, |s| s.stage.session_id.as_uuid()),
        &column(batch, |s| s.stage.stage_index),
        &column(batch, |s| s.stage.stage_name.as_str()) as &[&str],
        &column(batch, |s| s.stage.agent.as_str()) as &[&str],
        &column(batch, |s| s.stage.strategy.as_str()) as &[&str],
        &column(batch, |s| s.stage.llm_provider.as_deref()) as &[Option<&str>],
        &column(batch, |s| s.stage.pool.as_str()) as &[&str],
        &column(batch, |s| s.stage.attempt),
        &column(batch, |s| s.stage.round),
        &column(batch, |s| s.stage.timeout_ms),
        &column(batch, |s| s.stage_count),
        &column(batch, |_| Uuid::now_v7()),
        &queues,
        &column(batch, |s| s.priority),
        &column(batch, |s| s.traceparent.as_deref()) as &[Option<&str>],
        tarsy_failpoint::disabled("fence"),
        STAGE_JOB,
        HEAD_START_SECONDS,
        DEFAULT_MAX_ATTEMPTS,
    )
    .fetch_all(conn)
    .await?;
    let queues = held.iter().filter_map(|row| row.queue.clone()).collect();
    Ok((held.iter().map(|row| row.job_id).collect(), queues))
}

fn column<'a, T>(batch: &'a [Start], field: impl Fn(&'a Start) -> T) -> Vec<T> {
    batch.iter().map(field).collect()
}
