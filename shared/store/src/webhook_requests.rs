//! Webhooks as they came in, byte for byte.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// A request, as far as it is kept.
#[derive(Clone, Debug)]
pub struct RawRequest<'r> {
    /// As the sender named it.
    pub content_type: &'r str,
    /// Headers that identify the delivery; never credentials.
    pub headers: Value,
    /// Untouched.
    pub body: &'r [u8],
}

/// Keep a request for each session it led to; the first one of a session stays.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn keep_request(
    conn: &mut PgConnection,
    sessions: &[SessionId],
    request: &RawRequest<'_>,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into webhook_requests (session_id, content_type, headers, body)
         select session_id, $2, $3, $4 from unnest($1::uuid[]) as s (session_id)
         on conflict (session_id) do nothing",
        &sessions.iter().map(|id| id.as_uuid()).collect::<Vec<_>>(),
        request.content_type,
        request.headers,
        request.body
    )
    .execute(conn)
    .await?;
    Ok(())
}
