//! Removes a session from its incident, and puts it back.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// Removes a session from its incident, or puts it back. Returns the incident; `None` if it was never in one.
///
/// A removed session stays removed, no matter what it later has in common with others. The first caller who removed it
/// is recorded.
pub async fn set_incident_member(
    conn: &mut PgConnection,
    session_id: SessionId,
    actor: &str,
    is_member: bool,
) -> Result<Option<Uuid>, Error> {
    // Locks the incidents, because grouping may be merging this one with another.
    sqlx::query!(r#"select 1 as "locked!" from lock_incidents()"#)
        .fetch_one(&mut *conn)
        .await?;
    let incident = sqlx::query_scalar!(
        "update incident_members
         set removed_at_us = case when not $1 then coalesce(removed_at_us, now_us()) end,
             removed_by = case when not $1 then coalesce(removed_by, $2) end,
             is_lead = is_lead and $1
         where session_id = $3
         returning incident_id",
        is_member,
        actor,
        session_id.as_uuid(),
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(incident) = incident {
        sqlx::query!(r#"select 1 as "chosen!" from choose_lead($1)"#, incident)
            .fetch_one(conn)
            .await?;
    }
    Ok(incident)
}
