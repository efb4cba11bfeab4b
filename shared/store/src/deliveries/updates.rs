//! Deliveries that change an earlier message.

use sqlx::PgConnection;
use tarsy_model::WaitId;
use uuid::Uuid;

use crate::Error;

/// The message that a delivery changes.
#[derive(Clone, Debug)]
pub struct UpdatedMessage {
    /// The delivery that posts the message.
    pub delivery_id: Uuid,
    /// Whether the message has not been posted yet.
    pub is_pending: bool,
    /// Whether the message was posted.
    pub is_delivered: bool,
    /// Slack's timestamp of the message; `None` if it is not posted, or was posted by a version that did not record
    /// it.
    pub ts: Option<String>,
    /// Time since its delivery was created, in seconds.
    pub age_seconds: f64,
}

/// A new change of a wait's notification.
#[derive(Clone, Copy, Debug)]
pub struct NewWaitUpdate<'a> {
    /// Id of the delivery that makes the change.
    pub delivery_id: Uuid,
    /// Name of the target.
    pub target: &'a str,
}

/// Inserts changes of a wait's notifications, for those targets that were notified of it. A notification that already
/// has a change gets no other. Returns the ids of the new ones.
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
