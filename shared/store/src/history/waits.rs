//! Reasons why sessions that haven't ended don't advance.

use std::collections::HashMap;

use sqlx::PgConnection;
use tarsy_model::{SessionId, WaitSort, words};
use uuid::Uuid;

use crate::Error;

/// Reason why a session's next step does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The job is due. A worker claims it when it has a free slot.
    Queued,
    /// An operator paused the queue.
    QueuePaused,
    /// No worker claims from the queue, or no worker offers what the stage requires.
    NoWorker,
    /// The job failed and runs again later.
    Retrying,
    /// The job was snoozed, because a provider limits its calls or fails. This does not count as an attempt.
    Snoozed,
    /// Workers crashed while running the job. It runs again later.
    AfterCrash,
    /// The worker that runs the job is alive, but has sent no heartbeat for a while.
    WorkerSilent,
    /// A person must decide about a stage, a tool call or spending.
    Approval,
    /// A signal must arrive.
    Signal,
    /// A timer must elapse.
    Timer,
    /// Child sessions must end.
    Children,
}

words!(WaitReason {
    Queued => "queued",
    QueuePaused => "queue_paused",
    NoWorker => "no_worker",
    Retrying => "retrying",
    Snoozed => "snoozed",
    AfterCrash => "after_crash",
    WorkerSilent => "worker_not_answering",
    Approval => "approval",
    Signal => "signal",
    Timer => "timer",
    Children => "children",
});

/// The wait of a session. If a stage waits, it is that stage's wait, with decisions of a person first. Otherwise it is
/// the wait of a job, with jobs that are stuck before queued ones.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Reason for the wait.
    pub reason: WaitReason,
    /// Name of the stage that waits; `None` for the chain's first step.
    pub stage_name: Option<String>,
    /// Queue of the job: `stage:<pool>` or the queue of the chain workers. `None` if a stage waits, because it has no
    /// job then.
    pub queue: Option<String>,
    /// Start of the wait, in Unix microseconds.
    pub since_us: i64,
    /// Time of the next try, or of the expiry of a stage's wait, in Unix microseconds; `None` if it depends on another
    /// change.
    pub next_try_us: Option<i64>,
    /// Number of runs that failed, were snoozed or crashed.
    pub tries: i32,
    /// Maximum number of failed runs; `None` if failures are not counted.
    pub max_tries: Option<i32>,
    /// Error of the last try, as recorded.
    pub last_error: Option<String>,
    /// Provider that refused the call, if any.
    pub provider: Option<String>,
    /// Class of the provider's error, e.g. `rate_limited`.
    pub error_class: Option<String>,
    /// The worker that doesn't respond, as `host:pid`.
    pub worker: Option<String>,
}

/// Returns the waits of those sessions in which a stage waits, or in which no stage runs.
pub async fn wait_of(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<HashMap<SessionId, Wait>, Error> {
    if session_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut waits = of_jobs(&mut *conn, session_ids).await?;
    waits.extend(of_stages(conn, session_ids).await?);
    Ok(waits)
}

/// Returns the waits of stages: for each session the oldest one that a person decides, or else the oldest one.
async fn of_stages(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<Vec<(SessionId, Wait)>, Error> {
    let rows = sqlx::query!(
        r#"
        select distinct on (w.session_id) w.session_id as "session_id: SessionId", w.sort as "sort: WaitSort", w.asked_at_us,
               (extract(epoch from w.expires_at) * 1000000)::bigint as "expires_at_us!", e.stage_name
        from waits w join stage_executions e using (execution_id)
        where w.session_id = any($1) and w.decision is null and e.status = 'waiting'
        order by w.session_id, w.role is null, w.wait_id
        "#,
        session_ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let wait = Wait {
                reason: match row.sort {
                    WaitSort::Approval | WaitSort::ToolCall | WaitSort::Spending => {
                        WaitReason::Approval
                    }
                    WaitSort::Signal => WaitReason::Signal,
                    WaitSort::Timer => WaitReason::Timer,
                    WaitSort::Children => WaitReason::Children,
                },
                stage_name: Some(row.stage_name),
                queue: None,
                since_us: row.asked_at_us,
                next_try_us: Some(row.expires_at_us),
                tries: 0,
                max_tries: None,
                last_error: None,
                provider: None,
                error_class: None,
                worker: None,
            };
            (row.session_id, wait)
        })
        .collect())
}

/// Returns the waits of jobs: for each session the first one that is due, with jobs that are stuck before queued ones.
async fn of_jobs(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<HashMap<SessionId, Wait>, Error> {
    let rows = sqlx::query!(
        r#"
        with candidates as (
            select s.session_id, w.*
            from unnest($1::uuid[]) s (session_id)
            cross join lateral (
                select j.*, null::uuid as execution_id, null::text as stage_name from job_waits j where j.subject = s.session_id
                union all
                select j.*, e.execution_id, e.stage_name
                from stage_executions e join job_waits j on j.subject = e.execution_id
                where e.session_id = s.session_id and e.status in ('pending', 'active')
            ) w
        ), first as (
            select distinct on (session_id) * from candidates
            order by session_id, reason is not null, reason = 'queued', run_at, id
        )
        select f.session_id as "session_id!: SessionId", f.reason as "reason!", f.stage_name, f.queue as "queue!",
               (extract(epoch from case f.reason
                    when 'worker_not_answering' then f.heartbeat_at
                    when 'queue_paused' then greatest(f.paused_at, f.created_at)
                    when 'no_worker' then coalesce(f.missing_since, f.created_at)
                    when 'queued' then f.run_at
                    else f.created_at end) * 1000000)::bigint as "since_us!",
               case when f.state = 'scheduled' then (extract(epoch from f.run_at) * 1000000)::bigint end as next_try_us,
               case when f.attempts > 0 then f.attempts when f.snoozes > 0 then f.snoozes else f.crashes end as "tries!",
               case when f.attempts > 0 then f.max_attempts end as max_tries,
               coalesce(refused.error_message, f.last_error) as last_error, refused.provider as "provider?",
               refused.error_class as "error_class?",
               case when f.reason = 'worker_not_answering' then f.host || ':' || f.pid end as worker
        from first f
        left join lateral (
            -- A snooze records no error, so the newest call of the stage has it.
            select c.provider, c.error_class, c.error_message from llm_interactions c
            where c.stage_execution_id = f.execution_id and c.success is false and f.snoozes + f.attempts > 0
            order by c.sequence desc limit 1
        ) refused on true
        where f.reason is not null
        "#,
        session_ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let wait = Wait {
                reason: WaitReason::from_word(&row.reason).unwrap_or(WaitReason::Queued),
                stage_name: row.stage_name,
                queue: Some(row.queue),
                since_us: row.since_us,
                next_try_us: row.next_try_us,
                tries: row.tries,
                max_tries: row.max_tries,
                last_error: row.last_error,
                provider: row.provider,
                error_class: row.error_class,
                worker: row.worker,
            };
            (row.session_id, wait)
        })
        .collect())
}
