//! Runbooks, stored with their session and cached by URL.

use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// A runbook as it was last fetched.
#[derive(Clone, Debug)]
pub struct CachedRunbook {
    /// `ETag`, for `If-None-Match`.
    pub etag: String,
    /// Text of the runbook.
    pub content: String,
}

/// Stores a session's runbook, or the reason why it could not be fetched. The first result is kept.
pub async fn set_runbook(
    conn: &mut PgConnection,
    session_id: SessionId,
    runbook: Result<&str, &str>,
) -> Result<(), Error> {
    sqlx::query!(
        "update alert_sessions set runbook_content = $1, runbook_error = $2
         where session_id = $3 and runbook_content is null and runbook_error is null",
        runbook.ok(),
        runbook.err(),
        session_id.as_uuid(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the cached runbook of a URL.
pub async fn cached_runbook(
    conn: &mut PgConnection,
    url: &str,
) -> Result<Option<CachedRunbook>, Error> {
    let row = sqlx::query_as!(
        CachedRunbook,
        "select etag, content from runbook_cache where url = $1",
        url
    )
    .fetch_optional(conn)
    .await?;
    Ok(row)
}

/// Caches a runbook by its URL.
pub async fn save_cached_runbook(
    conn: &mut PgConnection,
    url: &str,
    runbook: &CachedRunbook,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into runbook_cache (url, etag, content) values ($1, $2, $3)
         on conflict (url) do update set etag = excluded.etag, content = excluded.content, fetched_at = now()",
        url,
        runbook.etag,
        runbook.content,
    )
    .execute(conn)
    .await?;
    Ok(())
}
