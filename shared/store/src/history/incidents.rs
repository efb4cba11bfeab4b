//! Reads incidents: which sessions belong together, and their totals.

use std::collections::HashMap;

use sqlx::{Connection as _, PgConnection, Postgres, Transaction};
use tarsy_model::SessionId;
use uuid::Uuid;

use super::SessionOverview;
use super::overview::overviews;
use crate::Error;

/// Membership of a session in an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentMembership {
    /// Id of the incident.
    pub incident_id: Uuid,
    /// Number of sessions in it, without removed ones; at most [`MOST_MEMBERS`].
    pub members: i64,
    /// Time when a person removed the session, in Unix microseconds; `None` if it is in the incident.
    pub removed_at_us: Option<i64>,
    /// Name of the caller who removed it.
    pub removed_by: Option<String>,
}

/// Number up to which members are counted.
pub const MOST_MEMBERS: i64 = 10_000;

/// An incident with totals of its sessions.
#[derive(Clone, Debug)]
pub struct Incident {
    /// Id of the incident.
    pub incident_id: Uuid,
    /// The first session, which represents the incident.
    pub lead_id: SessionId,
    /// Number of sessions.
    pub members: i64,
    /// Start of the first session, in Unix microseconds.
    pub first_started_at_us: i64,
    /// Start of the last session, in Unix microseconds.
    pub last_started_at_us: i64,
    /// Number of sessions that have not ended.
    pub running: i64,
    /// Number of sessions that failed.
    pub failed: i64,
    /// Cost of the ended sessions, including sessions created for them (child sessions and questions); `None` if none
    /// has a price.
    pub cost_usd: Option<f64>,
    /// Number of open approvals.
    pub open_approvals: i64,
    /// The member with an answer and the best verdict. If several have the same verdict, the one that ended first.
    pub answer_id: Option<SessionId>,
}

/// Begins a read-only transaction in which all statements see the same snapshot. It may be dropped.
///
/// # Errors
///
/// If the database is unavailable.
pub async fn snapshot(conn: &mut PgConnection) -> Result<Transaction<'_, Postgres>, Error> {
    let begin = "begin isolation level repeatable read read only";
    Ok(conn.begin_with(begin).await?)
}

/// Returns the incidents of these sessions. A session that is alone in its incident is omitted, unless a person
/// removed it.
pub async fn incidents_of(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<HashMap<SessionId, IncidentMembership>, Error> {
    let rows = sqlx::query!(
        r#"with mine as materialized (
               select session_id, incident_id, removed_at_us, removed_by from incident_members where session_id = any($1)
           ), counted as materialized (
               select incident_id, (select count(*) from (select from incident_members m
                                                          where m.incident_id = i.incident_id and m.removed_at_us is null
                                                          limit $2) bounded) as members
               from (select distinct incident_id from mine) i
           )
           select session_id as "session_id!: SessionId", incident_id as "incident_id!", members as "members!",
                  removed_at_us, removed_by
           from mine join counted using (incident_id) where members > 1 or removed_at_us is not null"#,
        session_ids,
        MOST_MEMBERS,
    )
    .fetch_all(conn)
    .await?;
    let of = rows.into_iter().map(|row| {
        let of = IncidentMembership {
            incident_id: row.incident_id,
            members: row.members,
            removed_at_us: row.removed_at_us,
            removed_by: row.removed_by,
        };
        (row.session_id, of)
    });
    Ok(of.collect())
}

/// Returns these incidents, unordered. Omits incidents with only one member.
pub async fn incidents(
    conn: &mut PgConnection,
    incident_ids: &[Uuid],
) -> Result<Vec<Incident>, Error> {
    if incident_ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_as!(
        Incident,
        r#"select m.incident_id as "incident_id!",
                  (array_agg(m.session_id order by m.started_at_us, m.session_id))[1] as "lead_id!: SessionId",
                  count(*) as "members!", min(m.started_at_us) as "first_started_at_us!", max(m.started_at_us) as "last_started_at_us!",
                  count(*) filter (where s.completed_at_us is null) as "running!",
                  count(*) filter (where s.status = 'failed') as "failed!", sum(t.cost_usd) as cost_usd,
                  (select count(*) from waits w join incident_members o using (session_id) join alert_sessions a using (session_id)
                   where w.role is not null and w.decision is null and a.completed_at_us is null
                     and o.incident_id = m.incident_id and o.removed_at_us is null) as "open_approvals!",
                  (array_agg(m.session_id order by array_position(
                       array['supported', 'partly_supported', 'no_fault', 'inconclusive', 'unsupported', 'not_checked'], s.verdict),
                       s.completed_at_us) filter (where s.final_analysis is not null))[1] as "answer_id: SessionId"
           from incident_members m
           -- `any(array[..])` uses the index, no matter how many sessions there are.
           join alert_sessions s on s.session_id = any(array[m.session_id])
           left join session_tallies t on t.session_id = any(array[m.session_id]) and t.completed_at_us = s.completed_at_us
           where m.incident_id = any($1) and m.removed_at_us is null
           group by m.incident_id having count(*) > 1"#,
        incident_ids,
    )
    .fetch_all(conn)
    .await?)
}

/// Position in the list of incidents: start and id of the lead.
pub type IncidentPlace = (i64, Uuid);

/// Lists incidents with their positions, the one whose lead started last first. With `before`, starts after that
/// position. Includes incidents with only one member.
pub async fn list_incidents(
    conn: &mut PgConnection,
    before: Option<IncidentPlace>,
    limit: i64,
) -> Result<Vec<(Uuid, IncidentPlace)>, Error> {
    let (started_at_us, session_id) = before.unwrap_or((i64::MAX, Uuid::max()));
    let rows = sqlx::query!(
        "select incident_id, started_at_us, session_id from incident_members
         where is_lead and (started_at_us, session_id) < ($1, $2)
         order by started_at_us desc, session_id desc limit $3",
        started_at_us,
        session_id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let places = rows
        .into_iter()
        .map(|row| (row.incident_id, (row.started_at_us, row.session_id)));
    Ok(places.collect())
}

/// Returns the keys that at least two present members of an incident share (`target=..` and `cause=..`), the most
/// frequent first, at most 20.
pub async fn incident_keys(
    conn: &mut PgConnection,
    incident_id: Uuid,
) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        r#"select key as "key!" from incident_members m cross join unnest(m.keys) k (key)
           where m.incident_id = $1 and m.removed_at_us is null
           group by key having count(*) > 1 order by count(*) desc, key limit 20"#,
        incident_id,
    )
    .fetch_all(conn)
    .await?)
}

/// Lists the members of an incident in order of their start: present ones, or removed ones if `is_removed`. With
/// `after`, starts after that position.
pub async fn incident_members(
    conn: &mut PgConnection,
    incident_id: Uuid,
    is_removed: bool,
    after: Option<IncidentPlace>,
    limit: i64,
) -> Result<Vec<SessionOverview>, Error> {
    let (started_at_us, session_id) = after.unwrap_or((i64::MIN, Uuid::nil()));
    let ids = sqlx::query_scalar!(
        "select session_id from incident_members
         where incident_id = $1 and (started_at_us, session_id) > ($2, $3) and (removed_at_us is not null) = $4
         order by started_at_us, session_id limit $5",
        incident_id,
        started_at_us,
        session_id,
        is_removed,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    overviews(conn, &ids).await
}

/// Returns the overviews of these sessions, in this order.
pub async fn session_overviews(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<Vec<SessionOverview>, Error> {
    overviews(conn, session_ids).await
}
