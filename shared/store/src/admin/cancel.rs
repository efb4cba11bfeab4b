//! Cancelling a session.

use sqlx::PgConnection;
use tarsy_chain::SessionEnd;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, WaitId};

use crate::Error;
use crate::chains::finish_sessions;

/// Why a session can't be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLive {
    /// There is none of this id.
    #[error("session not found")]
    Unknown,
    /// The session has ended, with this status.
    #[error("the session has ended: {0}")]
    Ended(SessionStatus),
}

/// A running session whose row is locked until the transaction ends.
#[derive(Clone, Debug)]
pub struct LiveSession {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Session that it was made for: it answers a question or runs a sub-agent, and its end sends no notification.
    pub parent: Option<SessionId>,
    /// Whether a sub-agent runs it.
    pub is_child: bool,
    /// Its attempts that have not ended: one at most, in a chain without parallel stages.
    pub executions: Vec<ExecutionId>,
    /// Its waits that nobody has decided.
    pub waits: Vec<WaitId>,
}

/// Locks a running session against ending and against its next stage.
///
/// Withdraw the jobs of its executions next, before [`cancel_session`]: a worker that ends a stage
/// locks the job first and the stage after it.
///
/// # Errors
///
/// [`Error::Database`]. The inner error says why the session is not under way.
pub async fn lock_live_session(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Result<LiveSession, NotLive>, Error> {
    let row = sqlx::query!(
        r#"select status as "status: SessionStatus", parent_session_id as "parent?: SessionId",
                  parent_session_id is not null and conversation_id is null as "is_child!"
           from alert_sessions where session_id = $1 for no key update"#,
        session_id.as_uuid(),
    )
    .fetch_optional(&mut *conn)
    .await?;
    let (status, parent, is_child) = match row {
        None => return Ok(Err(NotLive::Unknown)),
        Some(row) if row.status.is_terminal() => return Ok(Err(NotLive::Ended(row.status))),
        Some(row) => (row.status, row.parent, row.is_child),
    };
    let UnfinishedWork { executions, waits } = unfinished_work(conn, session_id).await?;
    Ok(Ok(LiveSession {
        session_id,
        status,
        parent,
        is_child,
        executions,
        waits,
    }))
}

/// What runs and waits in a session.
#[derive(Clone, Debug)]
pub struct UnfinishedWork {
    /// Attempts that have not ended.
    pub executions: Vec<ExecutionId>,
    /// Undecided waits.
    pub waits: Vec<WaitId>,
}

/// Reads what runs and waits in a session whose row is locked.
pub async fn unfinished_work(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<UnfinishedWork, Error> {
    let executions = sqlx::query_scalar!(
        r#"select execution_id as "id: ExecutionId" from stage_executions
           where session_id = $1 and status in ('pending', 'active', 'waiting')"#,
        session_id.as_uuid(),
    )
    .fetch_all(&mut *conn)
    .await?;
    let waits = sqlx::query_scalar!(
        r#"select wait_id as "id: WaitId" from waits where session_id = $1 and decision is null"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    Ok(UnfinishedWork { executions, waits })
}

/// Result of a cancellation.
#[derive(Clone, Debug)]
pub struct Cancelled {
    /// How many stages had made it; `None`: none had ended.
    pub outcome: Option<SessionOutcome>,
    /// Attempts that were cut off.
    pub stages: u64,
}

/// Ends a session locked by [`lock_live_session`] with its live attempts and open calls, and
/// publishes the events. Later writes of its worker match no row.
pub async fn cancel_session(
    conn: &mut PgConnection,
    session: &LiveSession,
    by: &str,
    message: &str,
) -> Result<Cancelled, Error> {
    let stages = cut_off(conn, session.session_id, &session.executions, by, message).await?;
    let ended = sqlx::query!(
        r#"select count(*) filter (where status = 'completed') as "completed!",
                  count(*) filter (where status = 'failed') as "failed!"
           from current_stages($1)"#,
        session.session_id.as_uuid(),
    )
    .fetch_one(&mut *conn)
    .await?;
    let outcome = match (ended.completed, ended.failed) {
        (0, 0) => None,
        (0, _) => Some(SessionOutcome::Failed),
        _ => Some(SessionOutcome::Partial),
    };
    let finish = SessionEnd {
        session_id: session.session_id,
        status: SessionStatus::Cancelled,
        outcome,
        analysis_from: None,
        verified_by: Vec::new(),
        error: Some(message.to_owned()),
    };
    finish_sessions(conn, &[finish]).await?;
    Ok(Cancelled { outcome, stages })
}

/// Cancels the live attempts of a session whose row is locked, its open waits and calls. Returns how many attempts.
pub async fn cut_off(
    conn: &mut PgConnection,
    session_id: SessionId,
    executions: &[ExecutionId],
    by: &str,
    message: &str,
) -> Result<u64, Error> {
    let stages = cut_stages(conn, session_id, message).await?;
    cancel_waits(conn, session_id, by, message).await?;
    close_calls(conn, executions).await?;
    Ok(stages)
}

/// Waits for a running write of the stage's worker; none follows.
async fn cut_stages(
    conn: &mut PgConnection,
    session_id: SessionId,
    message: &str,
) -> Result<u64, Error> {
    let cut = sqlx::query!(
        r#"
        with ended as (
            update stage_executions
            set status = 'cancelled', error_message = $1, error_class = 'cancelled', completed_at_us = now_us()
            where session_id = $2 and status in ('pending', 'active', 'waiting')
            returning execution_id, session_id, stage_index, stage_name, agent, attempt, branch, branch_name, status,
                      error_message
        )
        insert into events (session_id, kind, payload)
        select e.session_id, 'stage_progress', stage_event(
            e.session_id, e.execution_id, e.stage_index, jsonb_array_length(s.chain_definition -> 'stages'),
            e.stage_name, e.agent, e.attempt, e.branch, e.branch_name, e.status, e.error_message)
        from ended e join alert_sessions s using (session_id)
        "#,
        message,
        session_id.as_uuid(),
    )
    .execute(conn)
    .await?;
    Ok(cut.rows_affected())
}

/// Nobody decides them any more; whoever tries is told who cancelled.
async fn cancel_waits(
    conn: &mut PgConnection,
    session_id: SessionId,
    by: &str,
    message: &str,
) -> Result<(), Error> {
    sqlx::query!(
        r#"
        with cancelled as (
            update waits set decision = 'cancelled', decided_at_us = now_us(), decided_by = $1, reason = $2
            where session_id = $3 and decision is null
            returning session_id, execution_id, wait_id, sort, decision, decided_by
        )
        insert into events (session_id, kind, payload)
        select session_id, 'wait_update', jsonb_build_object(
            'type', 'wait_update', 'session_id', session_id, 'execution_id', execution_id, 'wait_id', wait_id,
            'stage_name', stage_name, 'sort', sort, 'status', decision, 'decided_by', decided_by)
        from cancelled join stage_executions using (session_id, execution_id)
        "#,
        by,
        message,
        session_id.as_uuid(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Closes open calls; their outcome stays unknown.
async fn close_calls(conn: &mut PgConnection, executions: &[ExecutionId]) -> Result<(), Error> {
    const WHY: &str = "the session was cancelled during this call; its outcome is not known";
    let executions: Vec<_> = executions.iter().map(|e| e.as_uuid()).collect();
    sqlx::query!(
        "update llm_interactions
         set success = false, error_class = 'cancelled', error_message = $1, duration_ms = (now_us() - timestamp_us) / 1000
         where stage_execution_id = any($2) and success is null",
        WHY,
        &executions,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "update mcp_interactions
         set success = false, error_message = $1, duration_ms = (now_us() - timestamp_us) / 1000
         where stage_execution_id = any($2) and success is null",
        WHY,
        &executions,
    )
    .execute(conn)
    .await?;
    Ok(())
}
