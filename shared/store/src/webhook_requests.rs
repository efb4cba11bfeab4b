//! Received webhook requests, stored byte for byte.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// A webhook request to store.
#[derive(Clone, Debug)]
pub struct RawRequest<'r> {
    /// Content type, as sent.
    pub content_type: &'r str,
    /// Headers that identify the delivery. Never contains credentials.
    pub headers: Value,
    /// The bytes as they were received, not masked.
    pub body: &'r [u8],
}

/// Stores a request for each session that it created. The first request of a session is kept.
pub async fn keep_request(
    conn: &mut PgConnection,
    sessions: &[SessionId],
    request: &RawRequest<'_>,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into webhook_requests (session_id, content_type, headers, body)
         select session_id, $1, $2, $3 from unnest($4::uuid[]) as s (session_id)
         on conflict (session_id) do nothing",
        request.content_type,
        request.headers,
        request.body,
        &sessions.iter().map(|id| id.as_uuid()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A stored request.
#[derive(Clone, Debug)]
pub struct KeptRequest {
    /// Time when it was received, in Unix microseconds.
    pub received_at_us: i64,
    /// Content type, as sent.
    pub content_type: String,
    /// Headers that identify the delivery.
    pub headers: Value,
    /// The bytes as they were received, not masked.
    pub body: Vec<u8>,
}

/// Returns the request that created a session. The outer `None` means that the session does not exist. The inner
/// `None` means that no request is stored, because the alert came by `POST /alerts` or was not the first of its
/// delivery.
pub async fn kept_request(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<Option<KeptRequest>>, Error> {
    let row = sqlx::query!(
        r#"select r.received_at_us as "received_at_us?", r.content_type as "content_type?", r.headers as "headers?",
                  r.body as "body?"
           from alert_sessions s left join webhook_requests r using (session_id) where s.session_id = $1"#,
        session_id.as_uuid()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        Some(KeptRequest {
            received_at_us: row.received_at_us?,
            content_type: row.content_type?,
            headers: row.headers?,
            body: row.body?,
        })
    }))
}
