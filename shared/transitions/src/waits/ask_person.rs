//! Makes a running stage wait for a person, in one statement: the fence, rows, events and jobs.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{
    ClaimRef, ExecutionId, Role, WAIT_JOB, WAIT_NOTICE_JOB, WaitId, WaitSort, chain_queue,
    job_requirement, wait_requirement,
};
use tarsy_queue::{DEFAULT_MAX_ATTEMPTS, HEAD_START_SECONDS};
use tarsy_store::Error;
use uuid::Uuid;

/// What a running stage asks a person about.
#[derive(Clone, Debug)]
pub enum About {
    /// A tool call: server, tool, arguments, effect, thought, position; without secrets.
    Call(Value),
    /// Going on beyond a spending limit.
    Spending,
}

impl About {
    const fn sort(&self) -> WaitSort {
        match self {
            Self::Call(_) => WaitSort::ToolCall,
            Self::Spending => WaitSort::Spending,
        }
    }

    const fn call(&self) -> Option<&Value> {
        match self {
            Self::Call(call) => Some(call),
            Self::Spending => None,
        }
    }

    /// What chain workers must offer to run a job of kind `kind` of this wait. Older versions can't read new sorts.
    fn requires(&self, kind: &str) -> Vec<String> {
        let job = job_requirement(kind);
        match self {
            Self::Call(_) => vec![job],
            Self::Spending => vec![job, wait_requirement(self.sort())],
        }
    }
}

/// A question of a running stage.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Names the wait.
    pub wait_id: WaitId,
    /// The stage that waits.
    pub execution_id: ExecutionId,
    /// How many stages its chain has, for event readers.
    pub stage_count: i32,
    /// What is asked, for people; without secrets.
    pub question: String,
    /// What it is about.
    pub about: About,
    /// Who may decide.
    pub role: Role,
    /// How long it waits, in ms.
    pub expires_ms: u64,
    /// Of its jobs.
    pub priority: i16,
}

/// Make a stage wait that is active under `claim`, whose job ends; false when the claim was lost and nothing was changed.
///
/// A stage that somebody else has ended (an operator who cancelled) only loses its job.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn ask_person(
    conn: &mut PgConnection,
    claim: ClaimRef,
    asked: &Asked,
) -> Result<bool, Error> {
    let held = sqlx::query_scalar!(
        r#"
        -- The session first, as by who cancels it.
        with locked as materialized (
            select s.session_id, s.completed_at_us is null as is_live from alert_sessions s
            where s.session_id = (select session_id from stage_executions where execution_id = $4)
            for no key update
        ),
        -- The fence: the job ends, the stage waits without a slot.
        held as (
            delete from jobs
            where (select count(*) from locked) is not null and id = $1 and owner is not distinct from $2 and epoch = $3
            returning id
        ),
        -- Not if somebody else has ended the stage.
        stopped as (
            update stage_executions e set status = 'waiting'
            from locked l
            where e.execution_id = $4 and e.session_id = l.session_id and l.is_live and exists (select from held)
              and e.claim_owner = $2 and e.claim_epoch = $3 and e.status = 'active'
            returning e.execution_id, e.session_id, e.stage_index, e.stage_name, e.agent, e.attempt, e.branch,
                e.branch_name
        ),
        waiting as (
            insert into waits (wait_id, session_id, execution_id, sort, question, role, call, expires_at)
            select $5, session_id, execution_id, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 ms'
            from stopped
            returning wait_id, expires_at
        ),
        asked as materialized (
            select * from stopped, waiting
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, $11::int, stage_name, agent, attempt, branch, branch_name,
                'waiting', $7::text)
            from asked
            union all
            select session_id, 'wait_update', jsonb_build_object(
                'type', 'wait_update', 'session_id', session_id, 'execution_id', execution_id, 'wait_id', wait_id,
                'stage_name', stage_name, 'sort', $6::wait_sort, 'status', 'open', 'question', $7::text,
                'expires_at_us', (extract(epoch from expires_at) * 1000000)::bigint)
            from asked
        ),
        -- A job that ends the wait when its time is over, and one that tells who may decide.
        queued as (
            insert into jobs (id, queue, kind, subject, unique_key, payload, priority, state, run_at, rank, max_attempts,
                              requires)
            select $12::uuid, $13::text, $14::text, wait_id, $14 || ':' || wait_id, 'null'::jsonb, $15::smallint,
                   'scheduled'::job_state, expires_at, expires_at - make_interval(secs => $15 * $16::float8), $17::int,
                   $20::text[]
            from asked
            union all
            select $18, $13, $19::text, wait_id, $19 || ':' || wait_id, 'null', $15, 'ready', t.now,
                   t.now - make_interval(secs => $15 * $16::float8), $17, $21
            from asked, (select clock_timestamp() as now) t
        )
        select exists (select from held) as "held!"
        "#,
        claim.job_id,
        claim.owner,
        claim.epoch,
        asked.execution_id.as_uuid(),
        asked.wait_id.as_uuid(),
        asked.about.sort() as WaitSort,
        asked.question,
        asked.role.as_str(),
        asked.about.call(),
        asked.expires_ms as f64,
        asked.stage_count,
        Uuid::now_v7(),
        chain_queue(),
        WAIT_JOB,
        asked.priority,
        HEAD_START_SECONDS,
        DEFAULT_MAX_ATTEMPTS,
        Uuid::now_v7(),
        WAIT_NOTICE_JOB,
        &asked.about.requires(WAIT_JOB),
        &asked.about.requires(WAIT_NOTICE_JOB),
    )
    .fetch_one(conn)
    .await?;
    Ok(held)
}
