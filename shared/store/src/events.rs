//! Events: what sockets are told, in the transaction that makes it true.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// Channel of the NOTIFY that tells hubs to read on.
pub const EVENT_NOTIFY_CHANNEL: &str = "tarsy_events";

/// Something to tell.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The session it is about, if any.
    pub session_id: Option<SessionId>,
    /// `dashboard_updates`, `system_health` or `session_<id>`.
    pub channel: String,
    /// Word of the event, e.g. `stage_progress`.
    pub kind: &'static str,
    /// What a client receives as `data`.
    pub payload: Value,
}

/// Write events, one statement for all.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn publish(conn: &mut PgConnection, events: &[NewEvent]) -> Result<(), Error> {
    if events.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "insert into events (session_id, channel, kind, payload)
         select * from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[])",
        &events.iter().map(|e| e.session_id.map(SessionId::as_uuid)).collect::<Vec<_>>() as &[Option<uuid::Uuid>],
        &events.iter().map(|e| e.channel.clone()).collect::<Vec<_>>(),
        &events.iter().map(|e| e.kind.to_owned()).collect::<Vec<_>>(),
        &events.iter().map(|e| e.payload.clone()).collect::<Vec<_>>(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Tell listening hubs that there are new events; outside the transaction that wrote them.
///
/// # Errors
///
/// [`Error::Database`]; hubs poll too, so that a lost call only delays.
pub async fn wake_listeners(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("select pg_notify($1, '')", EVENT_NOTIFY_CHANNEL).fetch_one(conn).await?;
    Ok(())
}
