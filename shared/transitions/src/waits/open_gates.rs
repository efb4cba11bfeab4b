//! Opens the waits of stages that become due, in one statement: the fence, rows, events and jobs.
//!
//! The chain job is not ended, because it decides about other due stages under the same claim. A crash in between is
//! harmless: the rows show which stages are started.

use sqlx::PgConnection;
use tarsy_model::{ClaimRef, WAIT_JOB, WAIT_NOTICE_JOB, WaitSort, chain_queue};
use tarsy_store::{Error, column};
use uuid::Uuid;

use super::Gate;

/// Opens the waits of stages of one session. Returns false if the claim was lost and nothing was changed.
///
/// The job's row is locked until the commit, so that no takeover can happen in between. Nothing is written for an
/// attempt that already exists or a session that has ended. Each wait gets a job that ends it when its time is up. If
/// people are asked, it also gets a job that notifies them.
pub async fn open_gates(
    conn: &mut PgConnection,
    claim: ClaimRef,
    gates: &[Gate],
    stage_count: i32,
    priority: i16,
) -> Result<bool, Error> {
    let held = sqlx::query_scalar!(
        r#"
        -- The fence. The chain job itself continues.
        with held as materialized (
            select id from jobs
            where id = $1 and owner is not distinct from $2 and epoch = $3
            for update
        ),
        live as materialized (
            select session_id, status from alert_sessions
            where session_id = any($4) and completed_at_us is null and exists (select from held)
            for no key update
        ),
        -- The gates of live sessions.
        gate as (
            select * from unnest($4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::text[], $9::text[], $10::int[],
                                 $11::int[], $12::bigint[], $13::uuid[], $14::wait_sort[], $15::text[], $16::text[],
                                 $17::text[], $18::float8[], $19::uuid[], $20::uuid[])
                as g (session_id, execution_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms,
                      wait_id, sort, question, role, signal, expires, expiry_job, notice_job)
            where g.session_id in (select session_id from live)
        ),
        -- A waiting stage. A stage that already exists is not changed.
        opened as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms, status,
                 started_at_us)
            select execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms, 'waiting',
                   now_us()
            from gate
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, stage_id
        ),
        waiting as (
            insert into waits (wait_id, session_id, execution_id, sort, question, role, signal, expires_at)
            select wait_id, session_id, execution_id, sort, question, role, signal,
                   clock_timestamp() + expires * interval '1 ms'
            from gate join opened using (execution_id)
            returning wait_id, execution_id, expires_at
        ),
        new_waits as materialized (
            select g.*, w.expires_at from gate g join waiting w using (wait_id)
        ),
        -- The session shows the last of the new stages.
        current as (
            update alert_sessions s
            set status = 'in_progress', current_stage_index = a.stage_index, current_stage_id = o.stage_id
            from new_waits a join opened o using (execution_id)
            where s.session_id = any(array[a.session_id])
              and a.stage_index = (select max(stage_index) from new_waits)
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', 'in_progress')
            from live where status = 'pending' and exists (select from new_waits)
            union all
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, $21::int, stage_name, agent, attempt, 0, null, 'waiting', question)
            from new_waits
            union all
            select session_id, 'wait_update', wait_opened_event(
                session_id, execution_id, wait_id, stage_name, sort, question, expires_at)
            from new_waits
        ),
        -- A job that ends the wait when its time is up, and one that notifies the people who may decide.
        queued as (
            insert into jobs (id, queue, kind, subject, unique_key, priority, rank, state, run_at, requires)
            select expiry_job, $22::text, $23::text, wait_id, $23 || ':' || wait_id, $24::smallint,
                   job_rank($24, expires_at), 'scheduled'::job_state, expires_at, array['job:' || $23]
            from new_waits
            union all
            select notice_job, $22, $25::text, wait_id, $25 || ':' || wait_id, $24,
                   job_rank($24, clock_timestamp()), 'ready', clock_timestamp(), array['job:' || $25]
            from new_waits where sort <> 'timer'
        )
        select exists (select from held) as "held!"
        "#,
        claim.job_id,
        claim.owner,
        claim.epoch,
        &column(gates, |g| g.stage.session_id.as_uuid()),
        &column(gates, |g| g.stage.execution_id.as_uuid()),
        &column(gates, |g| g.stage.stage_index),
        &column(gates, |g| g.stage.stage_name.as_str()) as &[&str],
        &column(gates, |g| g.stage.agent.as_str()) as &[&str],
        &column(gates, |g| g.stage.pool.as_str()) as &[&str],
        &column(gates, |g| g.stage.attempt),
        &column(gates, |g| g.stage.round),
        &column(gates, |g| g.stage.timeout_ms),
        &column(gates, |g| g.wait_id.as_uuid()),
        &column(gates, |g| g.sort) as &[WaitSort],
        &column(gates, |g| g.question.as_str()) as &[&str],
        &column(gates, |g| g.role.map(|role| role.as_str())) as &[Option<&str>],
        &column(gates, |g| g.signal.as_deref()) as &[Option<&str>],
        &column(gates, |g| g.expires_ms as f64),
        &column(gates, |_| Uuid::now_v7()),
        &column(gates, |_| Uuid::now_v7()),
        stage_count,
        chain_queue(),
        WAIT_JOB,
        priority,
        WAIT_NOTICE_JOB,
    )
    .fetch_one(conn)
    .await?;
    Ok(held)
}
