//! Cancels a session: its rows, jobs and deliveries.

use serde_json::json;
use sqlx::PgConnection;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId, chain_queue};
use tarsy_queue::NewJob;
use tarsy_store::admin::{NotLive, lock_live_session};
use tarsy_store::deliveries::{DELIVERY_KIND, DELIVERY_QUEUE, NewDelivery};
use tarsy_transitions::cancel_with_children;
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{ConflictError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;

/// Cancels a running session and its child sessions. The worker of its stage is notified on commit and stops,
/// including a running tool call; its later writes match no row.
///
/// # Errors
///
/// [`Problem::SessionNotFound`]; [`ConflictError::SessionEnded`], also if the session ended concurrently.
pub(crate) async fn cancel(
    app: &AppState,
    actor: &Actor,
    session_id: SessionId,
    reason: &Reason,
) -> Result<(), Problem> {
    let mut tx = app.pool.begin().await?;
    let session = match lock_live_session(&mut tx, session_id).await? {
        Ok(session) => session,
        Err(NotLive::Unknown) => return Err(Problem::SessionNotFound),
        Err(NotLive::Ended(status)) => return Err(ConflictError::SessionEnded(status).into()),
    };
    let message = format!("cancelled by {}: {}", actor.name(), reason.as_str());
    let cancelled = cancel_with_children(&mut tx, &session, actor.name(), &message).await?;
    let announced = session.parent.is_none() && announce(&mut tx, app, session_id).await?;
    let details = json!({ "was": session.status, "stages_cut_off": cancelled.stages });
    note(
        &mut tx,
        actor,
        OperatorAction::CancelSession,
        session_id,
        reason,
        details,
    )
    .await?;
    reached("admin.cancel.before_commit");
    tx.commit().await?;
    reached("admin.cancel.after_commit");
    app.waker.wake_watchers();
    if session.is_child || !session.waits.is_empty() {
        app.waker.wake(chain_queue());
    }
    if announced {
        app.waker.wake(DELIVERY_QUEUE);
    }
    Ok(())
}

/// Creates the webhook deliveries of the session's end. Returns whether there are any.
async fn announce(
    conn: &mut PgConnection,
    app: &AppState,
    session_id: SessionId,
) -> Result<bool, Problem> {
    let targets = app.catalog.cancellation_targets();
    let deliveries: Vec<NewDelivery> = targets
        .iter()
        .map(|(target, filter)| NewDelivery {
            delivery_id: Uuid::now_v7(),
            session_id,
            target: target.clone(),
            event: "session.cancelled".to_owned(),
            filter: filter.clone(),
        })
        .collect();
    if deliveries.is_empty() {
        return Ok(false);
    }
    tarsy_store::deliveries::insert_deliveries(conn, &deliveries).await?;
    let job = |id: Uuid| {
        NewJob::new(DELIVERY_QUEUE, DELIVERY_KIND, id).unique_key(format!("delivery:{id}"))
    };
    let jobs: Vec<NewJob> = deliveries.iter().map(|d| job(d.delivery_id)).collect();
    tarsy_queue::enqueue(conn, &jobs).await?;
    Ok(true)
}
