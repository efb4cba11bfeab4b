//! Ends stages in one statement: the fence, output, events, and the next stage or chain job.
//!
//! Like the statement that accepts alerts, it uses tables of both `tarsy-store` and `tarsy-queue`
//! (docs/decisions/0005-one-statement-a-transition.md). BEGIN, three statements and COMMIT would be five round trips
//! to Postgres, and a chain waits for all of them. The next job is that of the stage's sole successor
//! (docs/decisions/0008-a-stage-hands-on.md), or a chain job.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{ExecutionId, StageStatus, UnixMicros, chain_queue};
use tarsy_store::column;
use uuid::Uuid;

use super::{CHAIN_JOB, Ended, Finish, STAGE_JOB};
use crate::next::NextStage;

/// Outcome of a batch.
#[derive(Debug, Default)]
pub(super) struct Finished {
    /// Stages that this batch ended.
    pub(super) stages: HashMap<ExecutionId, Ended>,
    /// Queues that got jobs.
    pub(super) queues: BTreeSet<String>,
}

/// Ends the stages whose claims are still held, and makes the next stage or chain job due.
///
/// The usage of a stage is summed over the records of its model calls, so that calls of earlier workers count too.
///
/// The session is locked first, as cancelling does. The job's row is deleted and stays locked until the commit, so
/// that no takeover can happen in between. If the stage has already ended in another way (an operator cancelled it),
/// only its job is deleted.
///
/// The session's row is not written: events report the change, and its current stage is read from its stages. A new
/// version of the row would add an entry to each of its indexes.
///
/// The next stage becomes due as the attempt after its last one, unless an attempt of this round or a later one
/// exists. In that case, or if there is no next stage, the session gets a chain job.
///
/// With [`Finish::preclaim`], the next stage begins under that preclaim, or the chain job is written as held. This
/// does not happen if the queue is paused or a job of higher priority is ready in it.
pub(super) async fn finish_stages(
    conn: &mut PgConnection,
    batch: &[Finish],
) -> Result<Finished, sqlx::Error> {
    let next_queues: Vec<Option<String>> = column(batch, |f| match &f.next {
        Some(next) => Some(next.pool.queue()),
        None => f.preclaim.map(|_| chain_queue().to_owned()),
    });
    let rows = sqlx::query!(
        r#"
        with stage as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::stage_status[], $6::jsonb[], $7::text[], $8::text[],
                $9::int[], $10::uuid[], $11::smallint[], $12::text[], $13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::text[],
                $18::text[], $19::text[], $20::text[], $21::bigint[],
                $22::float8[], $23::bigint[], $24::int[], $25::text[])
            as s (execution_id, job_id, owner, epoch, status, output, error, error_class, stage_count, next_job, priority,
                  traceparent, session_id, next_id, next_name, next_actor, next_strategy, next_provider,
                  next_pool, next_queue, next_timeout,
                  next_lease, next_epoch, next_index, configuration_hash)
        ),
        -- Locks the sessions first and always in the same order, so that transactions can't deadlock.
        locked as (
            select session_id, completed_at_us is null as is_live from alert_sessions
            where session_id = any($13) order by session_id for no key update
        ),
        -- The fence: only rows whose job is still held continue. Counting the rows above makes Postgres lock them first.
        held as (
            delete from jobs j using stage s
            where (select count(*) from locked) is not null and j.id = any(array[s.job_id])
              and j.owner is not distinct from s.owner and j.epoch = s.epoch
            returning s.*
        ),
        -- Usage of a stage is summed over its recorded calls, no matter which worker made them.
        ended as (
            update stage_executions e
            set status = h.status, stage_output = h.output, error_message = h.error, error_class = h.error_class,
                completed_at_us = now_us(), configuration_hash = h.configuration_hash, iterations = u.iterations, input_tokens = u.input_tokens,
                output_tokens = u.output_tokens, cost_usd = u.cost_usd, cost_completeness = u.completeness
            from held h cross join lateral (
                select coalesce(max(iteration), 0) as iterations,
                    sum(input_tokens) filter (where success is not null and output_tokens is not null)::bigint
                        as input_tokens,
                    sum(output_tokens) filter (where success is not null and input_tokens is not null)::bigint
                        as output_tokens,
                    coalesce(sum(cost_usd) filter (where success is not null), 0) as cost_usd,
                    case count(cost_usd) filter (where success is not null)
                        when 0 then 'none' when count(success) then 'complete' else 'partial' end as completeness
                from llm_interactions where stage_execution_id = any(array[h.execution_id])
            ) u
            where e.execution_id = any(array[h.execution_id])
              and e.claim_owner = h.owner and e.claim_epoch = h.epoch and e.status = 'active'
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.attempt, e.branch, e.branch_name,
                e.round, e.status,
                e.error_message, h.owner, h.stage_count, h.next_job, h.priority, h.traceparent, h.next_id,
                h.next_name, h.next_actor, h.next_strategy, h.next_provider, h.next_pool, h.next_queue, h.next_timeout,
                h.next_lease, h.next_epoch, h.next_index
        ),
        -- Whether the same worker may continue with the next step. It may not if the queue is paused or a more severe job is ready.
        checked as materialized (
            select e.*, coalesce(last.attempt, 0) + 1 as next_attempt, last.round as last_round,
                e.next_lease is not null
                and not exists (select from queue_state q where q.queue = e.next_queue and q.paused_at is not null)
                and not exists (select from jobs j
                                where j.queue = e.next_queue and j.priority > e.priority and j.state = 'ready')
                as may_continue
            from ended e
            left join lateral (
                select attempt, round from stage_executions l
                where l.session_id = e.session_id and l.stage_index = e.next_index
                order by attempt desc limit 1
            ) last on true
        ),
        -- The next stage, unless an attempt of this round exists or the session has ended.
        fresh as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, requires, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms, status, claim_owner, claim_epoch, started_at_us, deadline_at)
            select next_id, session_id, next_index, next_name, actor_name(next_actor), actor_requires(next_actor),
                   next_strategy, next_provider, next_pool, next_attempt, round, next_timeout,
                   case when may_continue then 'active'::stage_status else 'pending' end,
                   case when may_continue then owner end, case when may_continue then next_epoch end,
                   case when may_continue then now_us() end,
                   case when may_continue then now() + next_timeout * interval '1 ms' end
            from checked
            where next_id is not null and (last_round is null or last_round < round)
              and (session_id in (select session_id from locked where is_live)) is true
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, started_at_us
        ),
        -- `hands_on`: the next stage is created here. Otherwise a chain job decides. `continues`: this worker already has its claim.
        due as materialized (
            select *, (hands_on or next_id is null) and may_continue as continues
            from checked, lateral (select coalesce(next_id in (select execution_id from fresh), false) as hands_on) h
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, stage_count, stage_name, agent, attempt, branch, branch_name,
                status, error_message)
            from due
            union all
            select session_id, 'stage_progress', stage_event(
                session_id, next_id, next_index, stage_count, next_name, next_actor, next_attempt, 0, null,
                case when continues then 'active'::stage_status else 'pending' end, null)
            from due where hands_on
        ),
        -- One job for each: for the next stage, or for the chain.
        queued as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent, requires, state, owner, epoch, expires_at)
            select next_job, case when hands_on then next_queue else $26 end, case when hands_on then $27 else $28 end,
                   case when hands_on then next_id else session_id end, priority, job_rank(priority, clock_timestamp()), traceparent,
                   case when hands_on then stage_requires(next_actor, next_provider) end,
                   case when continues then 'running'::job_state else 'ready' end,
                   case when continues then owner end, case when continues then next_epoch else 0 end,
                   case when continues then clock_timestamp() + make_interval(secs => next_lease) end
            from due
        )
        select execution_id as "execution_id!: ExecutionId", continues as "continues!", hands_on as "hands_on!",
               next_attempt as "next_attempt!",
               (select f.started_at_us from fresh f where f.execution_id = next_id) as "next_started_at_us: UnixMicros",
               case when hands_on then next_queue else $26 end as "queue!"
        from due
        "#,
        &column(batch, |f| f.execution_id.as_uuid()),
        &column(batch, |f| f.claim.job_id),
        &column(batch, |f| f.claim.owner),
        &column(batch, |f| f.claim.epoch),
        &column(batch, |f| f.status) as &[StageStatus],
        &column(batch, |f| f.output.as_ref()) as &[Option<&Value>],
        &column(batch, |f| f.error.as_deref()) as &[Option<&str>],
        &column(batch, |f| f.error_class.as_deref()) as &[Option<&str>],
        &column(batch, |f| f.stage_count),
        &column(batch, |f| f.preclaim.map_or_else(Uuid::now_v7, |a| a.claim.job_id)),
        &column(batch, |f| f.priority),
        &column(batch, |f| f.traceparent.as_deref()) as &[Option<&str>],
        &column(batch, |f| f.session_id.as_uuid()),
        &of_next(batch, |n| n.execution_id.as_uuid()) as &[Option<Uuid>],
        &of_next(batch, |n| n.name.as_str()) as &[Option<&str>],
        &of_next(batch, |n| n.agent.as_str()) as &[Option<&str>],
        &column(batch, |f| f.next.as_ref()?.strategy.map(|s| s.as_str())) as &[Option<&str>],
        &column(batch, |f| f.next.as_ref()?.llm_provider.as_deref()) as &[Option<&str>],
        &of_next(batch, |n| n.pool.as_str()) as &[Option<&str>],
        &next_queues as &[Option<String>],
        &of_next(batch, |n| i64::try_from(n.timeout.as_millis()).unwrap_or(i64::MAX)) as &[Option<i64>],
        &column(batch, |f| f.preclaim.map(|a| a.lease.as_secs_f64())) as &[Option<f64>],
        &column(batch, |f| f.preclaim.map(|a| a.claim.epoch)) as &[Option<i64>],
        &of_next(batch, |n| n.index) as &[Option<i32>],
        &column(batch, |f| f.configuration_hash.as_deref()) as &[Option<&str>],
        chain_queue(),
        STAGE_JOB,
        CHAIN_JOB,
    )
    .fetch_all(conn)
    .await?;
    Ok(Finished {
        stages: rows
            .iter()
            .map(|row| {
                let ended = ended(
                    row.continues,
                    row.hands_on,
                    row.next_attempt,
                    row.next_started_at_us,
                );
                (row.execution_id, ended)
            })
            .collect(),
        queues: rows
            .into_iter()
            .filter(|row| !row.continues)
            .map(|row| row.queue)
            .collect(),
    })
}

fn ended(
    continues: bool,
    hands_on: bool,
    attempt: i32,
    started_at_us: Option<UnixMicros>,
) -> Ended {
    match (continues, hands_on) {
        (true, true) => Ended::NextStageBegun {
            attempt,
            started_at_us,
        },
        (true, false) => Ended::ChainJobHeld,
        (false, _) => Ended::HandedOff,
    }
}

fn of_next<'a, T>(batch: &'a [Finish], field: impl Fn(&'a NextStage) -> T) -> Vec<Option<T>> {
    column(batch, |f| f.next.as_ref().map(&field))
}
