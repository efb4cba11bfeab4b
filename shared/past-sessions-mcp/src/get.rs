//! Reads one ended session.

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_config::AlertMasker;
use tarsy_model::{Evidence, SessionId, read_document};
use tarsy_store::history::{PastSession, past_evidence, past_sessions};

use crate::search::time;

/// Longest alert that is shown, in bytes.
const ALERT_BYTES: usize = 4_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) session_id: String,
}

/// A session and its evidence.
pub(crate) struct Read {
    session: PastSession,
    evidence: Vec<Evidence>,
}

/// Reads a session. The error is a message for the model.
pub(crate) async fn read(conn: &mut PgConnection, id: &str) -> Result<Read, String> {
    let none = || format!("there is no ended session `{id}`");
    let unavailable = |_| "the history is unavailable".to_owned();
    let id: SessionId = id.parse().map_err(|_| none())?;
    let found = past_sessions(conn, &[id.as_uuid()]).await;
    let session = found.map_err(unavailable)?.pop().ok_or_else(none)?;
    let evidence = past_evidence(conn, id).await.map_err(unavailable)?;
    Ok(Read { session, evidence })
}

/// Builds the answer. Conclusions and results were already masked when they were recorded.
pub(crate) fn shown(masker: &AlertMasker, read: &Read) -> Value {
    let session = &read.session;
    let masked = |text: &Option<String>| text.as_ref().map(|text| masker.text(text));
    let alert = read_document(session.alert_data.0.get()).unwrap_or_default();
    let mut alert = masker.json(&alert).to_string();
    if alert.len() > ALERT_BYTES {
        alert.truncate(alert.floor_char_boundary(ALERT_BYTES));
        alert.push_str(" [cut here]");
    }
    let evidence = read.evidence.iter();
    let evidence = evidence.map(|one| json!({"call": one.call, "result": one.result}));
    json!({
        "session_id": session.session_id,
        "alert_type": session.alert_type,
        "severity": session.severity,
        "outcome": session.outcome.map(|outcome| outcome.as_str()),
        "started_at": time(session.started_at_us),
        "completed_at": session.completed_at_us.and_then(time),
        "alert": alert,
        "conclusion": session.conclusion,
        "error": masked(&session.error_message),
        "evidence": evidence.collect::<Vec<_>>(),
    })
}
