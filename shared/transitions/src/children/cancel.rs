//! Cancels sessions with their children.

use crate::decision_notices;
use sqlx::PgConnection;
use tarsy_model::{CHILDREN_JOB, CHILDREN_PRIORITY, SessionId, chain_queue, job_requirement};
use tarsy_queue::NewJob;
use tarsy_store::Error;
use tarsy_store::admin::{Cancelled, LiveSession, cancel_session, lock_live_session};
use tarsy_store::children::live_children;
use tarsy_store::interactions::StageFence;
use uuid::Uuid;

/// Cancels a locked session with all its descendants. Runs in the caller's transaction.
///
/// For each cancelled child, enqueues a job that checks whether its parent's stage can continue. Parents are locked
/// before children.
pub async fn cancel_with_children(
    conn: &mut PgConnection,
    session: &LiveSession,
    by: &str,
    message: &str,
) -> Result<Cancelled, Error> {
    let cancelled = cancel_alone(conn, session, by, message).await?;
    cancel_children(conn, session.session_id, by, message).await?;
    Ok(cancelled)
}

/// Cancels all descendants of a locked session. Runs in the caller's transaction.
pub async fn cancel_children(
    conn: &mut PgConnection,
    session_id: SessionId,
    by: &str,
    message: &str,
) -> Result<(), Error> {
    let mut left = live_children(conn, session_id).await?;
    while let Some(child) = left.pop() {
        if let Ok(child) = lock_live_session(conn, child).await? {
            cancel_alone(conn, &child, by, message).await?;
            left.extend(live_children(conn, child.session_id).await?);
        }
    }
    Ok(())
}

/// Cancels a child of a stage, with its descendants, under the claim of that stage. Returns false if the claim was
/// lost. Does nothing to a child that has ended. Runs in the caller's transaction.
pub async fn cancel_child(
    conn: &mut PgConnection,
    fence: &StageFence,
    child: SessionId,
    by: &str,
    message: &str,
) -> Result<bool, Error> {
    let held = sqlx::query_scalar!(
        "select id from jobs where id = $1 and owner is not distinct from $2 and epoch = $3 for share",
        fence.claim.job_id,
        fence.claim.owner,
        fence.claim.epoch,
    )
    .fetch_optional(&mut *conn)
    .await?;
    if held.is_none() {
        return Ok(false);
    }
    if let Ok(session) = lock_live_session(conn, child).await? {
        cancel_with_children(conn, &session, by, message).await?;
    }
    Ok(true)
}

async fn cancel_alone(
    conn: &mut PgConnection,
    session: &LiveSession,
    by: &str,
    message: &str,
) -> Result<Cancelled, Error> {
    // Lock the jobs before the stage rows, because the end of a stage locks its job first.
    let executions: Vec<Uuid> = session.executions.iter().map(|e| e.as_uuid()).collect();
    let waits: Vec<Uuid> = session.waits.iter().map(|w| w.as_uuid()).collect();
    let waiting = [&executions[..], &waits, &[session.session_id.as_uuid()]].concat();
    tarsy_queue::withdraw(conn, &waiting)
        .await
        .map_err(database)?;
    tarsy_queue::request_cancel(conn, &executions)
        .await
        .map_err(database)?;
    let cancelled = cancel_session(conn, session, by, message).await?;
    tarsy_queue::enqueue(conn, &decision_notices(&session.waits))
        .await
        .map_err(database)?;
    if let (Some(parent), true) = (session.parent, session.is_child) {
        let job = NewJob::new(chain_queue(), CHILDREN_JOB, parent.as_uuid())
            .requires(vec![job_requirement(CHILDREN_JOB)])
            .priority(CHILDREN_PRIORITY);
        tarsy_queue::enqueue(conn, &[job]).await.map_err(database)?;
    }
    Ok(cancelled)
}

/// Converts the error. These functions fail only with a database error.
fn database(error: tarsy_queue::Error) -> Error {
    Error::Database(match error {
        tarsy_queue::Error::Database(error) => error,
        other => sqlx::Error::Encode(other.into()),
    })
}
