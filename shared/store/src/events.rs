//! Events for WebSockets, written in the transaction that they report.
//!
//! Each event is one row. Its kind determines the channels that receive it: `session_<id>` receives all events of a
//! session, `dashboard_updates` all except single interactions. Statements that change stages and sessions insert
//! their events themselves.

use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus};

use crate::Error;

/// A new event.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// Session that the event is about, if any.
    pub session_id: Option<SessionId>,
    /// Kind of the event, e.g. `stage_progress`.
    pub kind: &'static str,
    /// Payload that clients receive as `data`.
    pub payload: Value,
}

impl NewEvent {
    /// Kind of [`NewEvent::session_status`].
    pub const SESSION_STATUS: &'static str = "session_status_change";

    /// Builds the event that a session's triage, notes or incident membership changed.
    #[must_use]
    pub fn session_care(session_id: SessionId) -> Self {
        Self {
            session_id: Some(session_id),
            kind: "session_care",
            payload: json!({ "type": "session_care", "session_id": session_id }),
        }
    }

    /// Builds the event that a session was accepted, started or ended.
    #[must_use]
    pub fn session_status(
        session_id: SessionId,
        status: SessionStatus,
        outcome: Option<SessionOutcome>,
        detail: Option<&str>,
    ) -> Self {
        Self {
            session_id: Some(session_id),
            kind: Self::SESSION_STATUS,
            payload: json!({
                "type": "session_status_change", "session_id": session_id, "status": status,
                "outcome": outcome, "message": detail,
            }),
        }
    }
}

/// Inserts events in one statement.
pub async fn publish(conn: &mut PgConnection, events: &[NewEvent]) -> Result<(), Error> {
    if events.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "insert into events (session_id, kind, payload)
         select * from unnest($1::uuid[], $2::text[], $3::jsonb[])",
        &events
            .iter()
            .map(|e| e.session_id.map(SessionId::as_uuid))
            .collect::<Vec<_>>() as &[Option<uuid::Uuid>],
        &events.iter().map(|e| e.kind.to_owned()).collect::<Vec<_>>(),
        &events.iter().map(|e| e.payload.clone()).collect::<Vec<_>>(),
    )
    .execute(conn)
    .await?;
    Ok(())
}
