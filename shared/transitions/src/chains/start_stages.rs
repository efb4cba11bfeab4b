//! Starts stages in one statement: the fence, rows, sessions, events and jobs.
//!
//! Like the statement that accepts alerts, it uses tables of both `tarsy-store` and `tarsy-queue`
//! (docs/decisions/0005-one-statement-a-transition.md).

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{ClaimRef, ExecutionId, Pool, STAGE_JOB, START_NOTICE_JOB, chain_queue};
use tarsy_store::column;
use tarsy_store::stages::NewStage;
use uuid::Uuid;

/// A request to start stages of a session, under the claim of the chain job that found them due.
#[derive(Debug)]
pub struct Start {
    /// Claim of the chain job, which ends with this transition.
    pub claim: ClaimRef,
    /// Attempts to start, at least one.
    pub attempts: Vec<NewAttempt>,
    /// Number of stages of the chain, for event readers.
    pub stage_count: i32,
    /// Priority of the stage jobs.
    pub priority: i16,
    /// W3C trace context of the alert's request.
    pub traceparent: Option<String>,
}

/// An attempt of a stage, or of one branch of it, that becomes due.
#[derive(Debug)]
pub struct NewAttempt {
    /// Row to insert into `stage_executions`.
    pub row: NewStage,
    /// The preclaim for the attempt's job; `None`: any worker may claim it.
    pub preclaim: Option<PreclaimLease>,
}

/// Claim and lease of a job that is held from the moment it is inserted.
#[derive(Clone, Copy, Debug)]
pub struct PreclaimLease {
    /// Id, owner and epoch of the job.
    pub claim: ClaimRef,
    /// How long the claim lasts without renewal.
    pub lease: Duration,
}

/// One attempt of a start, with its start.
struct Due<'a> {
    start: &'a Start,
    attempt: &'a NewAttempt,
}

impl<'a> Due<'a> {
    fn each(start: &'a Start) -> impl Iterator<Item = Self> {
        let attempts = start.attempts.iter();
        attempts.map(move |attempt| Self { start, attempt })
    }

    fn queue(&self) -> String {
        Pool::from(self.attempt.row.pool.as_str()).queue()
    }

    fn job_id(&self) -> Uuid {
        let preclaim = self.attempt.preclaim;
        preclaim.map_or_else(Uuid::now_v7, |preclaim| preclaim.claim.job_id)
    }
}

/// Outcome of a group of starts.
#[derive(Debug, Default)]
pub(super) struct StartedGroup {
    /// Chain jobs whose claims were still held.
    pub(super) held: HashSet<Uuid>,
    /// Attempts whose jobs were inserted as held.
    pub(super) preclaimed: HashSet<ExecutionId>,
    /// Queues that got jobs to claim.
    pub(super) queues: BTreeSet<String>,
}

/// Makes the stages due whose claims are still held.
///
/// With `announces`, each session that begins gets a job that sends the start notification.
///
/// If an attempt already exists, it has its job or has ended, so nothing is written for it. A session that has ended
/// gets no attempts. A preclaimed job ([`NewAttempt::preclaim`]) is inserted as held, unless its queue is paused or a
/// job of higher priority is ready in it.
///
/// Like the begin of a stage, the commit does not wait for the disk. If a crash of Postgres undoes the start, it is
/// decided again from the rows. Any later record is a durable commit, which makes this one durable too.
pub(super) async fn start_stages(
    conn: &mut PgConnection,
    batch: &[Start],
    announces: bool,
) -> Result<StartedGroup, sqlx::Error> {
    let due: Vec<Due<'_>> = batch.iter().flat_map(Due::each).collect();
    let queues: Vec<String> = due.iter().map(Due::queue).collect();
    let rows = sqlx::query!(
        r#"
        with due as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[],
                $7::text[], $8::text[], $9::text[], $10::int[], $11::int[], $12::bigint[], $13::int[], $14::uuid[],
                $15::text[], $16::smallint[], $17::text[], $18::int[], $19::int[], $20::text[], $21::jsonb[],
                $22::uuid[], $23::bigint[], $24::float8[])
            as d (job_id, execution_id, session_id, stage_index, stage_name, actor,
                  iteration_strategy, llm_provider, pool, attempt, round, timeout_ms, stage_count, next_job,
                  queue, priority, traceparent, branch, branch_count, branch_name, branch_item,
                  next_owner, next_epoch, next_lease)
        ),
        -- The fence: one row for each claim, no matter how many stages it makes due.
        ended as (
            delete from jobs j
            using unnest($25::uuid[], $26::uuid[], $27::bigint[]) as c (job_id, owner, epoch),
                  (select set_config('synchronous_commit', 'off', true) as setting) relaxed
            where relaxed.setting is not null and j.id = any(array[c.job_id])
              and j.owner is not distinct from c.owner and j.epoch = c.epoch
            returning j.id as job_id
        ),
        held as materialized (
            select * from due where (job_id in (select job_id from ended)) is true
        ),
        -- Locks the sessions in the order of their ids, like the end of stages, so that transactions can't deadlock.
        live as materialized (
            select session_id, status from alert_sessions
            where session_id = any(array(select session_id from held)) and completed_at_us is null
            order by session_id for no key update
        ),
        -- The referee: an attempt is inserted only once, even if two workers start it.
        fresh as (
            insert into stage_executions
                (execution_id, session_id, stage_index, stage_name, agent, requires, iteration_strategy, llm_provider, pool,
                 attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item)
            select execution_id, session_id, stage_index, stage_name, actor_name(actor), actor_requires(actor),
                   iteration_strategy, llm_provider, pool, attempt, round, timeout_ms, branch, branch_count, branch_name, branch_item
            from held where (session_id in (select session_id from live)) is true
            on conflict (session_id, stage_index, attempt) do nothing
            returning execution_id, session_id, stage_index, stage_id
        ),
        -- Whether the same worker starts it at once. It does not if the queue is paused or a more severe job is ready.
        started as materialized (
            select *, next_lease is not null
                and not exists (select from queue_state q where q.queue = held.queue and q.paused_at is not null)
                and not exists (select from jobs j
                                where j.queue = held.queue and j.priority > held.priority and j.state = 'ready')
                as preclaimed
            from held where (execution_id in (select execution_id from fresh)) is true
        ),
        -- The session shows the last of the new stages.
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
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, stage_count, stage_name, actor, attempt, branch, branch_name,
                'pending', null)
            from started
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, priority, rank, traceparent, requires, state, owner, epoch, expires_at)
            select next_job, queue, $28, execution_id, priority, job_rank(priority, clock_timestamp()), traceparent,
                   stage_requires(actor, llm_provider), case when preclaimed then 'running'::job_state else 'ready' end,
                   case when preclaimed then next_owner end, case when preclaimed then next_epoch else 0 end,
                   case when preclaimed then clock_timestamp() + make_interval(secs => next_lease) end
            from started
            union all
            -- A job finds the targets to notify after this commit. Without targets, this branch is skipped.
            select gen_random_uuid(), $29::text, $30::text, l.session_id, d.priority, job_rank(d.priority, clock_timestamp()),
                   d.traceparent, array['job:' || $30], 'ready', null::uuid, 0, null::timestamptz
            from live l join (select distinct session_id, priority, traceparent from started) d using (session_id)
            where $31::bool and l.status = 'pending'
        )
        select held.job_id as "job_id!", held.execution_id as "execution_id!: ExecutionId", held.queue as "queue!",
               started.preclaimed as "preclaimed?"
        from held left join started using (execution_id)
        "#,
        &column(&due, |d| d.start.claim.job_id),
        &column(&due, |d| d.attempt.row.execution_id.as_uuid()),
        &column(&due, |d| d.attempt.row.session_id.as_uuid()),
        &column(&due, |d| d.attempt.row.stage_index),
        &column(&due, |d| d.attempt.row.stage_name.as_str()) as &[&str],
        &column(&due, |d| d.attempt.row.agent.as_str()) as &[&str],
        &column(&due, |d| d.attempt.row.strategy.map(|s| s.as_str())) as &[Option<&str>],
        &column(&due, |d| d.attempt.row.llm_provider.as_deref()) as &[Option<&str>],
        &column(&due, |d| d.attempt.row.pool.as_str()) as &[&str],
        &column(&due, |d| d.attempt.row.attempt),
        &column(&due, |d| d.attempt.row.round),
        &column(&due, |d| d.attempt.row.timeout_ms),
        &column(&due, |d| d.start.stage_count),
        &column(&due, Due::job_id),
        &queues,
        &column(&due, |d| d.start.priority),
        &column(&due, |d| d.start.traceparent.as_deref()) as &[Option<&str>],
        &column(&due, |d| d.attempt.row.branch.index),
        &column(&due, |d| d.attempt.row.branch.count),
        &column(&due, |d| d.attempt.row.branch.name.as_deref()) as &[Option<&str>],
        &column(&due, |d| d.attempt.row.branch.item.as_ref()) as &[Option<&Value>],
        &column(&due, |d| d.attempt.preclaim.map(|p| p.claim.owner)) as &[Option<Uuid>],
        &column(&due, |d| d.attempt.preclaim.map(|p| p.claim.epoch)) as &[Option<i64>],
        &column(&due, |d| d.attempt.preclaim.map(|p| p.lease.as_secs_f64())) as &[Option<f64>],
        &column(batch, |s| s.claim.job_id),
        &column(batch, |s| s.claim.owner),
        &column(batch, |s| s.claim.epoch),
        STAGE_JOB,
        chain_queue(),
        START_NOTICE_JOB,
        announces,
    )
    .fetch_all(conn)
    .await?;
    let mut group = StartedGroup::default();
    for row in rows {
        group.held.insert(row.job_id);
        match row.preclaimed {
            Some(true) => _ = group.preclaimed.insert(row.execution_id),
            Some(false) => _ = group.queues.insert(row.queue),
            // The attempt already existed, or the session has ended.
            None => {}
        }
    }
    Ok(group)
}
