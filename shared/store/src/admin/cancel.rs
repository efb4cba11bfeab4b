//! Cancels sessions.

use sqlx::PgConnection;
use tarsy_chain::SessionEnd;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus, WaitId};

use crate::Error;
use crate::chains::finish_sessions;

/// Reason why a session can't be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLive {
    /// No session has this id.
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
    /// Parent session. If present, this session answers a question or runs a sub-agent, and its end sends no
    /// notification.
    pub parent: Option<SessionId>,
    /// Whether the session runs a sub-agent.
    pub is_child: bool,
    /// Attempts that have not ended. At most one in a chain without parallel stages.
    pub executions: Vec<ExecutionId>,
    /// Waits that are not decided.
    pub waits: Vec<WaitId>,
}

/// Locks a running session, so that it can neither end nor start its next stage.
///
/// Before [`cancel_session`], the caller must withdraw the jobs of its executions, because a worker that ends a stage
/// locks the job before the stage.
///
/// # Errors
///
/// [`Error::Database`]. The inner error is the reason why the session can't be cancelled.
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

/// Unfinished attempts and waits of a session.
#[derive(Clone, Debug)]
pub struct UnfinishedWork {
    /// Attempts that have not ended.
    pub executions: Vec<ExecutionId>,
    /// Undecided waits.
    pub waits: Vec<WaitId>,
}

/// Reads the unfinished attempts and waits of a session whose row is locked.
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
    /// Outcome from the stages that had ended; `None`: none had.
    pub outcome: Option<SessionOutcome>,
    /// Number of attempts that were cancelled.
    pub stages: u64,
}

/// Ends a session that [`lock_live_session`] locked, with its live attempts and open calls, and publishes the events.
/// Later writes of its worker match no row.
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

/// Cancels the live attempts, open waits and open calls of a session whose row is locked. Returns the number of
/// attempts.
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

/// Cancels the attempts. Waits for a running write of the stage's worker; after that the worker can't write any more.
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

/// Cancels the waits. A later decision fails with the name of the caller who cancelled.
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

/// Closes open calls. Their outcome stays unknown.
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
