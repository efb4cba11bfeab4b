//! Makes a stage wait for its child sessions, in one statement: the fence, rows, events and jobs.

use sqlx::PgConnection;
use tarsy_model::{
    CHILDREN_JOB, CHILDREN_PRIORITY, WAIT_JOB, WaitId, WaitSort, chain_queue, job_requirement,
};
use tarsy_queue::{DEFAULT_MAX_ATTEMPTS, HEAD_START_SECONDS};
use tarsy_store::{Error, StageHold};
use uuid::Uuid;

/// How long a stage waits before it looks at its children again, in ms: an hour. It goes on as soon as they have ended;
/// this is for rows that were changed by hand.
const LOOKS_AGAIN_MS: f64 = 60.0 * 60.0 * 1_000.0;

/// Make a stage wait that is active under its claim, whose job ends; false when the claim was lost and nothing was changed.
///
/// A child may end while this is written, and find no stage that waits. So the wait comes with a job that looks at the
/// children after this commit.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn wait_for_children(
    conn: &mut PgConnection,
    hold: &StageHold,
    stage_count: i32,
    question: &str,
    priority: i16,
) -> Result<bool, Error> {
    let held = sqlx::query_scalar!(
        r#"
        -- The session first, as by who cancels it.
        with locked as materialized (
            select s.session_id, s.completed_at_us is null as is_live from alert_sessions s
            where s.session_id = $5 for no key update
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
            insert into waits (wait_id, session_id, execution_id, sort, question, expires_at)
            select $6, session_id, execution_id, $7, $8, clock_timestamp() + $9 * interval '1 ms'
            from stopped
            returning wait_id, expires_at
        ),
        asked as materialized (
            select * from stopped, waiting
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'stage_progress', stage_event(
                session_id, execution_id, stage_index, $10::int, stage_name, agent, attempt, branch, branch_name,
                'waiting', $8::text)
            from asked
            union all
            select session_id, 'wait_update', jsonb_build_object(
                'type', 'wait_update', 'session_id', session_id, 'execution_id', execution_id, 'wait_id', wait_id,
                'stage_name', stage_name, 'sort', $7::wait_sort, 'status', 'open', 'question', $8::text,
                'expires_at_us', (extract(epoch from expires_at) * 1000000)::bigint)
            from asked
        ),
        -- A job that ends the wait when its time is over, and one that looks whether the children have ended meanwhile.
        queued as (
            insert into jobs (id, queue, kind, subject, unique_key, payload, priority, state, run_at, rank, max_attempts, requires)
            select $11::uuid, $12::text, $13::text, wait_id, $13 || ':' || wait_id, 'null'::jsonb, $14::smallint,
                   'scheduled'::job_state, expires_at, expires_at - make_interval(secs => $14 * $15::float8), $16::int,
                   $19::text[]
            from asked
            union all
            select $17, $12, $18::text, session_id, null, 'null', $20::smallint, 'ready', t.now,
                   t.now - make_interval(secs => $20 * $15::float8), $16, $19[1:1]
            from asked, (select clock_timestamp() as now) t
        )
        select exists (select from held) as "held!"
        "#,
        hold.claim.job_id,
        hold.claim.owner,
        hold.claim.epoch,
        hold.execution_id.as_uuid(),
        hold.session_id.as_uuid(),
        WaitId::generate().as_uuid(),
        WaitSort::Children as WaitSort,
        question,
        LOOKS_AGAIN_MS,
        stage_count,
        Uuid::now_v7(),
        chain_queue(),
        WAIT_JOB,
        priority,
        HEAD_START_SECONDS,
        DEFAULT_MAX_ATTEMPTS,
        Uuid::now_v7(),
        CHILDREN_JOB,
        // Versions that don't know this wait know jobs of waits.
        &[job_requirement(CHILDREN_JOB), job_requirement(WAIT_JOB)] as &[String],
        CHILDREN_PRIORITY,
    )
    .fetch_one(conn)
    .await?;
    Ok(held)
}
