//! Starts stages in one statement: the fence, rows, sessions, events and jobs.
//!
//! Like the statement that accepts alerts it speaks of the tables of `tarsy-store` and
//! `tarsy-queue` both (docs/decisions/0005-one-statement-a-transition.md).

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{ClaimRef, Pool, START_NOTICE_JOB, chain_queue};
use tarsy_queue::{DEFAULT_MAX_ATTEMPTS, HEAD_START_SECONDS};
use tarsy_store::NewStage;
use uuid::Uuid;

use super::{STAGE_JOB, Start};

/// One stage of a start, or one branch of it.
struct Due<'a> {
    start: &'a Start,
    stage: &'a NewStage,
    claim: ClaimRef,
}

impl<'a> Due<'a> {
    fn of(start: &'a Start) -> impl Iterator<Item = Self> {
        let claim = start.claim;
        start.stages.iter().map(move |stage| Self {
            start,
            stage,
            claim,
        })
    }

    fn queue(&self) -> String {
        Pool::from(self.stage.pool.as_str()).queue()
    }
}

/// Make the stages due whose claims are still held; answers those claims' jobs, and the queues that
/// got jobs.
///
/// With `announces`, a session that begins gets the job that notifies of it.
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
    announces: bool,
) -> Result<(HashSet<Uuid>, BTreeSet<String>), sqlx::Error> {
    let due: Vec<Due<'_>> = batch.iter().flat_map(Due::of).collect();
    let queues: Vec<String> = due.iter().map(Due::queue).collect();
    let held = sqlx::query!(
        r#"
        with due as (
            select * from unnest(
                $1::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::text[], $8::text[],
                $9::text[], $10::text[], $11::text[], $12::int[], $13::int[], $14::bigint[], $15::int[], $16::uuid[],
                $17::text[], $18::smallint[], $19::text[], $24::int[], $25::int[], $26::text[], $27::jsonb[])
            as d (job_id, execution_id, session_id, stage_index, stage_name, agent,
                  iteration_strategy, llm_provider, pool, attempt, round, timeout_ms, stage_count, next_job,
                  queue, priority, traceparent, branch, branch_count, branch_name, branch_item)
        ),
        -- The fence: one row for each claim, whatever number of stages it makes due.
        ended as (
            delete from jobs j
            using unnest($23::uuid[], $2::uuid[], $3::bigint[]) as c (job_id, owner, epoch),
                  (select set_config('synchronous_commit', 'off', true) as setting) relaxed
            where relaxed.setting is not null and j.id = any(array[c.job_id])
              and j.owner is not distinct from c.owner and j.epoch = c.epoch
            returning j.id as job_id
        ),
        held as materialized (
            select * from due where (job_id in (select job_id from ended)) is true
        ),
        live as materialized (
            select session_id, status from alert_sessions
            where session_id = any(array(select session_id from held)) and completed_at_us is null
            for no key update
        ),
        fresh as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item)
            select execution_id, session_id, stage_index, stage_name, agent, iteration_strategy, llm_provider, pool,
                   attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item
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
            from fresh n
            where s.session_id = any(array[n.session_id])
              and n.stage_index = (select max(stage_index) from fresh f where f.session_id = n.session_id)
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', 'in_progress')
            from live where status = 'pending' and (session_id in (select session_id from started)) is true
            union all
            select session_id, 'stage_progress', jsonb_build_object(
                'type', 'stage_progress', 'session_id', session_id, 'execution_id', execution_id,
                'stage_index', stage_index, 'stage_count', stage_count, 'stage_name', stage_name,
                'agent', agent, 'attempt', attempt, 'branch', branch, 'branch_name', branch_name, 'status', 'pending')
            from started
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, traceparent,
                              requires)
            select next_job, queue, $20, execution_id, 'null', priority, 'ready', t.now,
                   t.now - make_interval(secs => priority * $21::float8), $22, traceparent,
                   stage_requires(agent, llm_provider)
            from started, (select clock_timestamp() as now) t
            union all
            -- Who is notified is looked at after this commit. Without a target this branch is not even begun.
            select gen_random_uuid(), $28::text, $29::text, l.session_id, 'null'::jsonb, d.priority, 'ready'::job_state, t.now,
                   t.now - make_interval(secs => d.priority * $21::float8), $22::int, d.traceparent, array['job:' || $29]
            from live l join (select distinct session_id, priority, traceparent from started) d using (session_id),
                 (select clock_timestamp() as now) t
            where $30::bool and l.status = 'pending'
        )
        select job_id as "job_id!", case when execution_id in (select execution_id from fresh) then queue end as "queue?"
        from held
        "#,
        &column(&due, |d| d.claim.job_id),
        &column(batch, |s| s.claim.owner),
        &column(batch, |s| s.claim.epoch),
        &column(&due, |d| d.stage.execution_id.as_uuid()),
        &column(&due, |d| d.stage.session_id.as_uuid()),
        &column(&due, |d| d.stage.stage_index),
        &column(&due, |d| d.stage.stage_name.as_str()) as &[&str],
        &column(&due, |d| d.stage.agent.as_str()) as &[&str],
        &column(&due, |d| d.stage.strategy.map(|s| s.as_str())) as &[Option<&str>],
        &column(&due, |d| d.stage.llm_provider.as_deref()) as &[Option<&str>],
        &column(&due, |d| d.stage.pool.as_str()) as &[&str],
        &column(&due, |d| d.stage.attempt),
        &column(&due, |d| d.stage.round),
        &column(&due, |d| d.stage.timeout_ms),
        &column(&due, |d| d.start.stage_count),
        &column(&due, |_| Uuid::now_v7()),
        &queues,
        &column(&due, |d| d.start.priority),
        &column(&due, |d| d.start.traceparent.as_deref()) as &[Option<&str>],
        STAGE_JOB,
        HEAD_START_SECONDS,
        DEFAULT_MAX_ATTEMPTS,
        &column(batch, |s| s.claim.job_id),
        &column(&due, |d| d.stage.branch.index),
        &column(&due, |d| d.stage.branch.count),
        &column(&due, |d| d.stage.branch.name.as_deref()) as &[Option<&str>],
        &column(&due, |d| d.stage.branch.item.as_ref()) as &[Option<&Value>],
        chain_queue(),
        START_NOTICE_JOB,
        announces,
    )
    .fetch_all(conn)
    .await?;
    let queues = held.iter().filter_map(|row| row.queue.clone()).collect();
    Ok((held.iter().map(|row| row.job_id).collect(), queues))
}

fn column<'a, T, U>(rows: &'a [T], field: impl Fn(&'a T) -> U) -> Vec<U> {
    rows.iter().map(field).collect()
}
