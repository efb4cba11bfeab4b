//! Gives up a session: ends it with everything that still runs or waits in it, in one transaction.

use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_store::admin::{UnfinishedWork, cut_off, unfinished_work};
use tarsy_store::deliveries::NewDelivery;
use tarsy_transitions::{cancel_children, decision_notices};
use uuid::Uuid;

use super::Finish;
use super::finish::finish_sessions;
use crate::Error;

/// Name under which running stages are cancelled.
const BY: &str = "chain worker";

/// Ends a session whose claim is still held, with its live stages, open waits and child sessions. Returns false if the
/// claim was lost and nothing was changed.
///
/// A chain that is a graph can have running stages while it is decided. Takes locks in the same order as other
/// transitions: the chain job, the session, then jobs and rows of stages.
pub(super) async fn give_up_session(
    conn: &mut PgConnection,
    finish: &Finish,
    deliveries: &[NewDelivery],
) -> Result<bool, Error> {
    let session = &finish.session;
    let mut tx = conn.begin().await?;
    let held = finish_sessions(&mut tx, std::slice::from_ref(finish), deliveries).await?;
    let held = held.contains(&finish.claim.job_id);
    if held {
        let UnfinishedWork { executions, waits } =
            unfinished_work(&mut tx, session.session_id).await?;
        let stages: Vec<Uuid> = executions.iter().map(|id| id.as_uuid()).collect();
        let waiting: Vec<Uuid> = waits.iter().map(|id| id.as_uuid()).collect();
        tarsy_queue::withdraw(&mut tx, &[&stages[..], &waiting].concat()).await?;
        tarsy_queue::request_cancel(&mut tx, &stages).await?;
        let reason = session
            .error
            .as_deref()
            .unwrap_or("the session was given up");
        cut_off(&mut tx, session.session_id, &executions, BY, reason).await?;
        tarsy_queue::enqueue(&mut tx, &decision_notices(&waits)).await?;
        cancel_children(&mut tx, session.session_id, BY, reason).await?;
    }
    reached("chain.give_up.before_commit");
    tx.commit().await?;
    reached("chain.give_up.after_commit");
    Ok(held)
}
