//! Notifications of started sessions.

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// Event of a notification that a session has started.
pub const SESSION_STARTED: &str = "session.started";

/// Inserts notifications of a session's start for those `targets` (name and
/// [filter](crate::deliveries::NewDelivery::filter)) whose filter matches. Returns the ids of the new ones.
///
/// Each session and target has at most one: its id is derived from both, and contains the session's time, by which
/// deliveries are listed. A session that has ended gets none. Questions and sessions of sub-agents get none either.
pub async fn insert_start_notices(
    conn: &mut PgConnection,
    session_id: SessionId,
    targets: &[(String, Value)],
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "insert into webhook_deliveries (delivery_id, session_id, target, event)
         select (left(s.session_id::text, 14) || '7' || substr(h.hash, 1, 3) || '-8' || substr(h.hash, 4, 3) || '-'
                 || substr(h.hash, 7, 12))::uuid, s.session_id, t.target, $1
         from alert_sessions s, unnest($2::text[], $3::jsonb[]) as t (target, filter),
              lateral (select md5('started:' || s.session_id || ':' || t.target) as hash) h
         where s.session_id = $4 and s.completed_at_us is null
           and s.parent_session_id is null and s.conversation_id is null
           and coalesce(t.filter -> 'severity' ? lower(s.severity), true)
           and coalesce(t.filter -> 'alert_type' ? s.alert_type, true)
         on conflict (delivery_id) do nothing
         returning delivery_id",
        SESSION_STARTED,
        &targets.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
        &targets.iter().map(|(_, filter)| filter.clone()).collect::<Vec<_>>(),
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}
