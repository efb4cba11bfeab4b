//! Alerts resolved by their source.

use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// A resolved alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Idempotency key with which the session was accepted.
    pub idempotency_key: String,
    /// Time when the alert ended according to the source, in Unix microseconds.
    pub resolved_at_us: i64,
}

/// Marks alerts as resolved on their running or ended sessions. The first time is kept. Returns the keys that have a
/// session.
pub async fn resolve_sessions(
    conn: &mut PgConnection,
    resolutions: &[Resolution],
) -> Result<Vec<(String, SessionId)>, Error> {
    let rows = sqlx::query!(
        r#"
        update alert_sessions s set resolved_at_us = coalesce(s.resolved_at_us, r.resolved_at_us)
        from (select idempotency_key, min(resolved_at_us) as resolved_at_us
              from unnest($1::text[], $2::bigint[]) as u (idempotency_key, resolved_at_us)
              group by idempotency_key order by idempotency_key) r
        where s.idempotency_key = r.idempotency_key
        returning s.idempotency_key as "key!", s.session_id as "session_id: SessionId"
        "#,
        &resolutions
            .iter()
            .map(|r| r.idempotency_key.clone())
            .collect::<Vec<_>>(),
        &resolutions
            .iter()
            .map(|r| r.resolved_at_us)
            .collect::<Vec<_>>(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.key, row.session_id))
        .collect())
}
