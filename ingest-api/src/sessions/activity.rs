//! Endpoints of a session's activity: people's actions and notes.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_store::admin::{
    AuditEntry, AuditFilter, NewSessionNote, SessionNote, insert_session_note, list_audit,
    session_notes,
};
use tarsy_store::events::NewEvent;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{FieldError, Problem};
use crate::questions::handlers::checked;
use crate::server::audit::note;
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;

/// Maximum number of entries of each kind in a response.
const LISTED: i64 = 500;

/// One entry of a session's activity.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivityEntry {
    at_us: i64,
    /// Who wrote the note or acted.
    actor: String,
    /// `note`, `action` (something that a person did), or an action of the audit log.
    #[schema(example = "session.acknowledge")]
    kind: String,
    /// Text of the note, or reason of the audit entry.
    text: String,
    /// Details of an audit entry.
    #[schema(value_type = Object)]
    details: Value,
}

/// Activity of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Activity {
    /// Entries, newest first. At most the newest 500 notes and the newest 500 audit entries.
    entries: Vec<ActivityEntry>,
}

impl From<SessionNote> for ActivityEntry {
    fn from(note: SessionNote) -> Self {
        Self {
            at_us: note.created_at_us,
            actor: note.author,
            kind: note.kind,
            text: note.text,
            details: json!({}),
        }
    }
}

impl From<AuditEntry> for ActivityEntry {
    fn from(entry: AuditEntry) -> Self {
        Self {
            at_us: entry.at_us,
            actor: entry.actor,
            kind: entry.action,
            text: entry.reason,
            details: entry.details,
        }
    }
}

/// List the notes and audit entries of a session.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/activity", tag = "history", operation_id = "session_activity",
    params(("session_id" = Uuid, Path, description = "Session id")),
    responses(
        (status = 200, description = "Activity; empty for an unknown session", body = Activity),
        (status = 404, description = "Invalid id, or history is disabled"),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    Path(session_id): Path<String>,
) -> Result<Json<Activity>, Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let of_session = AuditFilter {
        subject: Some(session_id.to_string()),
        ..AuditFilter::default()
    };
    let audited = list_audit(&mut conn, &of_session, LISTED).await?;
    let notes = session_notes(&mut conn, session_id, LISTED).await?;
    // Audit entries of notes are left out, because the notes themselves are listed.
    let audited = audited
        .into_iter()
        .filter(|entry| entry.action != OperatorAction::NoteSession.as_str());
    let mut entries: Vec<_> = audited.map(ActivityEntry::from).collect();
    entries.extend(notes.into_iter().map(ActivityEntry::from));
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.at_us));
    let masker = &app.catalog.alert_masker;
    for entry in &mut entries {
        entry.text = masker.text(&entry.text);
    }
    Ok(Json(Activity { entries }))
}

/// Note about a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteWanted {
    /// `note` (default), or `action`: something that was done.
    #[serde(default = "plain")]
    #[schema(pattern = "^(note|action)$", default = "note")]
    kind: String,
    /// Text of the note; not only white space.
    #[schema(
        min_length = 1,
        max_length = 4000,
        pattern = r"^[^\u0000]*[^\u0000\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$",
        example = "Raised the memory limit of the ledger"
    )]
    text: String,
}

fn plain() -> String {
    "note".to_owned()
}

/// Add a note to a session.
///
/// A note can also describe an action that was taken.
#[utoipa::path(
    post, path = "/api/v1/admin/sessions/{session_id}/notes", tag = "admin", operation_id = "note_session",
    request_body = NoteWanted, params(("session_id" = Uuid, Path, description = "Session id")),
    responses(
        (status = 201, description = "Stored", body = ActivityEntry),
        (status = 404, description = "Session not found"),
        (status = 422, description = "Invalid kind or text"),
    )
)]
pub(crate) async fn write(
    State(app): State<AppState>,
    actor: Actor,
    Path(session_id): Path<String>,
    ValidJson(wanted): ValidJson<NoteWanted>,
) -> Result<(StatusCode, Json<ActivityEntry>), Problem> {
    let session_id: SessionId = session_id.parse().map_err(|_| Problem::SessionNotFound)?;
    if !matches!(wanted.kind.as_str(), "note" | "action") {
        let error = FieldError::new("kind", "must be note or action");
        return Err(Problem::InvalidRequest(vec![error]));
    }
    let text = checked("text", &wanted.text)?;
    let new = NewSessionNote {
        note_id: Uuid::now_v7(),
        session_id,
        kind: &wanted.kind,
        text: &text,
        author: actor.name(),
    };
    let mut tx = app.pool.begin().await?;
    let stored = insert_session_note(&mut tx, &new).await?;
    let stored = stored.ok_or(Problem::SessionNotFound)?;
    let details = json!({ "note_id": stored.note_id, "kind": stored.kind });
    let reason = Reason::not_stated();
    let action = OperatorAction::NoteSession;
    note(&mut tx, &actor, action, session_id, &reason, details).await?;
    tarsy_store::events::publish(&mut tx, &[NewEvent::session_care(session_id)]).await?;
    reached("admin.note.before_commit");
    tx.commit().await?;
    reached("admin.note.after_commit");
    app.waker.wake_watchers();
    Ok((StatusCode::CREATED, Json(stored.into())))
}
