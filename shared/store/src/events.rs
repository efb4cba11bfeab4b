//! Events for WebSockets, written in the transaction that they report.
//!
//! One row an event. Which channels hear it follows from its kind: `session_<id>` hears
//! all of a session's events, `dashboard_updates` all but single interactions. The statements
//! that change stages and sessions write theirs themselves.

use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus};

use crate::Error;

/// A new event.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The session it is about, if any.
    pub session_id: Option<SessionId>,
    /// Word of the event, e.g. `stage_progress`.
    pub kind: &'static str,
    /// What a client receives as `data`.
    pub payload: Value,
}

impl NewEvent {
    /// Kind of [`NewEvent::session_status`].
    pub const SESSION_STATUS: &'static str = "session_status_change";

    /// Somebody said something of a session.
    #[must_use]
    pub fn session_care(session_id: SessionId) -> Self {
        Self {
            session_id: Some(session_id),
            kind: "session_care",
            payload: json!({ "type": "session_care", "session_id": session_id }),
        }
    }

    /// A session was accepted, started or ended.
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
