//! Suspends a running stage in one statement: the fence, rows, event and jobs.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{ClaimRef, ExecutionId, Role, WAIT_JOB, WaitId, WaitSort, chain_queue};
use tarsy_store::Error;
use uuid::Uuid;

/// A running stage to suspend.
pub(crate) struct Suspension<'a> {
    /// Claim of the stage. Its job is deleted.
    pub(crate) claim: ClaimRef,
    pub(crate) execution_id: ExecutionId,
    /// Number of stages of the chain, for event readers.
    pub(crate) stage_count: i32,
    pub(crate) wait_id: WaitId,
    pub(crate) sort: WaitSort,
    /// Description of the wait for people, without secrets.
    pub(crate) question: &'a str,
    /// Lowest role that may decide; `None`: no person is asked.
    pub(crate) role: Option<Role>,
    /// The tool call that a person decides about.
    pub(crate) call: Option<&'a Value>,
    /// Maximum duration of the wait, in ms.
    pub(crate) expires_ms: f64,
    /// Priority of the job that ends the wait when its time is up.
    pub(crate) priority: i16,
    /// Requirements of that job.
    pub(crate) requires: Vec<String>,
    pub(crate) next: NextJob,
}

/// The job that runs right after the commit.
pub(crate) struct NextJob {
    pub(crate) kind: &'static str,
    pub(crate) subject: Subject,
    pub(crate) priority: i16,
    /// Requirements of this job.
    pub(crate) requires: Vec<String>,
}

/// Subject of the next job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The wait. At most one live job of each kind is about it.
    Wait,
    Session,
}

/// Makes the stage wait. Returns false if the claim was lost and nothing was changed.
///
/// If the stage has already ended in another way (an operator cancelled it), only its job is deleted.
pub(crate) async fn suspend(
    conn: &mut PgConnection,
    stage: &Suspension<'_>,
) -> Result<bool, Error> {
    let held = sqlx::query_scalar!(
        r#"
        -- Locks the session first, as cancelling does.
        with locked as materialized (
            select s.session_id, s.completed_at_us is null as is_live from alert_sessions s
            where s.session_id = (select session_id from stage_executions where execution_id = $1)
            for no key update
        ),
        -- The fence: the job ends, and the stage waits without a slot. Counting the rows above makes Postgres lock them first.
        held as (
            delete from jobs
            where (select count(*) from locked) is not null and id = $2 and owner is not distinct from $3 and epoch = $4
            returning id
        ),
        -- Not if the stage has already ended in another way.
        stopped as (
            update stage_executions e set status = 'waiting'
            from locked l
            where e.execution_id = $1 and e.session_id = l.session_id and l.is_live and exists (select from held)
              and e.claim_owner = $3 and e.claim_epoch = $4 and e.status = 'active'
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.attempt, e.branch,
                e.branch_name
        ),
        waiting as (
            insert into waits (wait_id, session_id, execution_id, sort, question, role, call, expires_at)
            select $5, session_id, execution_id, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 ms'
            from stopped
            returning wait_id, expires_at
        ),
        new_waits as materialized (
            select * from stopped, waiting
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, $11::int, stage_name, agent, attempt, branch, branch_name,
                'waiting', $7::text)
            from new_waits
            union all
            select session_id, 'wait_update', wait_opened_event(
                session_id, execution_id, wait_id, stage_name, $6::wait_sort, $7::text, expires_at)
            from new_waits
        ),
        -- A job that ends the wait when its time is up, and the next one.
        queued as (
            insert into jobs (id, queue, kind, subject, unique_key, priority, rank, state, run_at, requires)
            select $12::uuid, $13::text, $14::text, wait_id, $14 || ':' || wait_id, $15::smallint,
                   job_rank($15, expires_at), 'scheduled'::job_state, expires_at, $16::text[]
            from new_waits
            union all
            select $17, $13, $18::text, case when $19::bool then wait_id else session_id end,
                   case when $19 then $18 || ':' || wait_id end, $20::smallint,
                   job_rank($20, clock_timestamp()), 'ready', clock_timestamp(), $21
            from new_waits
        )
        select exists (select from held) as "held!"
        "#,
        stage.execution_id.as_uuid(),
        stage.claim.job_id,
        stage.claim.owner,
        stage.claim.epoch,
        stage.wait_id.as_uuid(),
        stage.sort as WaitSort,
        stage.question,
        stage.role.map(|role| role.as_str()),
        stage.call,
        stage.expires_ms,
        stage.stage_count,
        Uuid::now_v7(),
        chain_queue(),
        WAIT_JOB,
        stage.priority,
        &stage.requires,
        Uuid::now_v7(),
        stage.next.kind,
        stage.next.subject == Subject::Wait,
        stage.next.priority,
        &stage.next.requires,
    )
    .fetch_one(conn)
    .await?;
    Ok(held)
}
