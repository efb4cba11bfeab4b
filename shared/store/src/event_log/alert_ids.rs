//! Adds ids to events, for clients that know the alert but not its session.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::EventRecord;
use crate::Error;

/// Kinds of events whose payloads get the ids.
const PROGRESS: [&str; 2] = ["stage_progress", "session_status_change"];

/// Adds `alert_id`, `chain_id` and `stage_execution_id` to the payloads of progress events.
///
/// Reads each session once for all of its events. Leaves events of deleted sessions and payloads that are not objects
/// unchanged.
///
/// # Errors
///
/// [`Error::Database`]; the events are unchanged.
pub async fn add_alert_ids(
    conn: impl PgExecutor<'_>,
    events: &mut [EventRecord],
) -> Result<(), Error> {
    let mut progress: Vec<(Uuid, &mut EventRecord)> = events
        .iter_mut()
        .filter(|event| PROGRESS.contains(&event.kind.as_str()))
        .filter_map(|event| Some((event.session_id?.as_uuid(), event)))
        .collect();
    let mut sessions: Vec<Uuid> = progress.iter().map(|(session, _)| *session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    if sessions.is_empty() {
        return Ok(());
    }
    // With `any(array[..])`, only a lookup by the primary key is possible, no matter what the table statistics are.
    let found = sqlx::query!(
        r#"select s.session_id, s.alert_id::text as "alert_id!", s.chain_id
           from unnest($1::uuid[]) w (id) join alert_sessions s on s.session_id = any(array[w.id])"#,
        &sessions,
    )
    .fetch_all(conn)
    .await?;
    let ids: HashMap<Uuid, (String, String)> = found
        .into_iter()
        .map(|row| (row.session_id, (row.alert_id, row.chain_id)))
        .collect();
    for (session, event) in &mut progress {
        if let Some((alert_id, chain_id)) = ids.get(session)
            && let Some(payload) = with_ids(&event.payload, alert_id, chain_id)
        {
            event.payload = payload;
        }
    }
    Ok(())
}

/// Returns `payload` with the ids; `None` if it is not an object.
fn with_ids(payload: &str, alert_id: &str, chain_id: &str) -> Option<String> {
    let mut payload: Map<String, Value> = serde_json::from_str(payload).ok()?;
    if let Some(execution) = payload.get("execution_id").filter(|id| !id.is_null()) {
        payload.insert("stage_execution_id".to_owned(), execution.clone());
    }
    payload.insert("alert_id".to_owned(), alert_id.into());
    payload.insert("chain_id".to_owned(), chain_id.into());
    Some(Value::Object(payload).to_string())
}
