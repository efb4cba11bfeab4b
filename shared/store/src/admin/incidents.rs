//! Taking a session out of its incident, and putting it back.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;

/// Takes a session out of its incident, or puts it back. Returns the incident; `None`: it was never in one.
///
/// A session that is out stays out, whatever it shares with others later. Who took it out first is kept.
pub async fn set_incident_member(
    conn: &mut PgConnection,
    session_id: SessionId,
    actor: &str,
    is_member: bool,
) -> Result<Option<Uuid>, Error> {
    // Grouping may be joining its incident with another one.
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
