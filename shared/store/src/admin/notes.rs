//! Notes that people write about a session.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// A new note.
#[derive(Clone, Debug)]
pub struct NewSessionNote<'a> {
    /// Id of the note.
    pub note_id: Uuid,
    /// The session that the note is about.
    pub session_id: SessionId,
    /// `note`, or `action` for something that was done.
    pub kind: &'a str,
    /// Text of the note, 1 to 4,000 characters.
    pub text: &'a str,
    /// Name of the caller who writes the note.
    pub author: &'a str,
}

/// A note about a session.
#[derive(Clone, Debug)]
pub struct SessionNote {
    /// Id of the note.
    pub note_id: Uuid,
    /// `note` or `action`.
    pub kind: String,
    /// Text of the note.
    pub text: String,
    /// Name of the caller who wrote it.
    pub author: String,
    /// Time when it was written, in Unix microseconds.
    pub created_at_us: i64,
}

/// Stores a note. Returns `None` if the session does not exist.
pub async fn insert_session_note(
    conn: &mut PgConnection,
    note: &NewSessionNote<'_>,
) -> Result<Option<SessionNote>, Error> {
    Ok(sqlx::query_as!(
        SessionNote,
        "insert into session_notes (note_id, session_id, kind, text, author)
         select $1, session_id, $2, $3, $4 from alert_sessions where session_id = $5 for no key update
         returning note_id, kind, text, author, created_at_us",
        note.note_id,
        note.kind,
        note.text,
        note.author,
        note.session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Lists the notes of a session, newest first, up to `limit`.
pub async fn session_notes(
    conn: &mut PgConnection,
    session_id: SessionId,
    limit: i64,
) -> Result<Vec<SessionNote>, Error> {
    Ok(sqlx::query_as!(
        SessionNote,
        "select note_id, kind, text, author, created_at_us from session_notes
         where session_id = $1 order by created_at_us desc, note_id desc limit $2",
        session_id.as_uuid(),
        limit
    )
    .fetch_all(conn)
    .await?)
}
