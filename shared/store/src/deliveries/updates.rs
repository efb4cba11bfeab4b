//! Deliveries that change a message that was posted before.

use sqlx::PgConnection;
use tarsy_model::WaitId;
use uuid::Uuid;

use crate::Error;

/// The message that a delivery changes.
#[derive(Clone, Debug)]
pub struct UpdatedMessage {
    /// The delivery that posts it.
    pub delivery_id: Uuid,
    /// Whether it is still to be posted.
    pub is_pending: bool,
    /// Whether it was posted.
    pub is_delivered: bool,
    /// What Slack calls it; `None`: it is not posted, or was by a version that did not note it.
    pub ts: Option<String>,
    /// Since its delivery was made due for the first time.
    pub age_seconds: f64,
}

/// A new change of a wait's notification.
#[derive(Clone, Copy, Debug)]
pub struct NewWaitUpdate<'a> {
    /// Names the change.
    pub delivery_id: Uuid,
    /// Name of the target.
    pub target: &'a str,
}

/// Inserts changes of the notifications of a wait, of those targets that were notified of it; a notification that has one
/// already gets no other. Returns those that are new.
pub async fn insert_wait_updates(
    conn: &mut PgConnection,
    wait_id: WaitId,
    updates: &[NewWaitUpdate<'_>],
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "insert into webhook_deliveries (delivery_id, session_id, target, event, updates)
         select n.delivery_id, d.session_id, d.target, 'session.decided', d.delivery_id
         from unnest($1::uuid[], $2::text[]) as n (delivery_id, target)
         join webhook_deliveries d on d.wait_id = $3 and d.target = n.target
         on conflict (updates) where updates is not null do nothing
         returning delivery_id",
        &updates.iter().map(|n| n.delivery_id).collect::<Vec<_>>(),
        &updates.iter().map(|n| n.target).collect::<Vec<_>>() as &[&str],
        wait_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}
