//! Duplicates of sessions.

use sqlx::PgConnection;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;
use crate::new_session::NewSession;

/// Number of newest duplicates stored per session. Older ones are only counted.
pub const KEPT_DUPLICATES: i32 = 100;

/// A duplicate of a session.
#[derive(Clone, Debug)]
pub struct DuplicateRecord {
    /// Number of the duplicate, from 1, in the order of arrival.
    pub number: i32,
    /// Time when it was received, in Unix microseconds.
    pub received_at_us: i64,
    /// Time of the alert according to its sender, in Unix microseconds.
    pub alert_timestamp_us: Option<i64>,
    /// Severity of this alert.
    pub severity: String,
    /// Source, e.g. `api` or `alertmanager`.
    pub source: String,
    /// Name of the caller who sent it.
    pub author: Option<String>,
}

/// Counts duplicates on their sessions and stores the newest.
pub(crate) async fn count_duplicates(
    conn: &mut PgConnection,
    duplicates: &[(SessionId, &NewSession)],
) -> Result<(), Error> {
    if duplicates.is_empty() {
        return Ok(());
    }
    let mut duplicates: Vec<(Uuid, &NewSession)> = duplicates
        .iter()
        .map(|(session, alert)| (session.as_uuid(), *alert))
        .collect();
    // The sort is stable, so the duplicates of one session stay in the order of arrival. Every batch sorts sessions in
    // the same order, so that two batches wait for each other instead of deadlocking.
    duplicates.sort_by_key(|(session, _)| *session);
    sqlx::query!(
        "with d as (
             select *, row_number() over (partition by session_id order by place)::int as nth,
                    count(*) over (partition by session_id)::int as more
             from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[]) with ordinality
             as u (session_id, alert_timestamp_us, severity, source, author, place)
         ),
         counted as (
             update alert_sessions s set duplicate_count = duplicate_count + d.more
             from (select session_id, more from d where nth = 1 order by session_id) d
             where s.session_id = any(array[d.session_id])
             returning s.session_id, s.duplicate_count
         )
         insert into session_duplicates as kept (session_id, slot, number, alert_timestamp_us, severity, source, author)
         select session_id, (number - 1) % $6, number, alert_timestamp_us, severity, source, author
         from (select d.*, c.duplicate_count - d.more + d.nth as number from d join counted c using (session_id)
               where d.more - d.nth < $6) newest
         order by session_id, number
         on conflict (session_id, slot) do update
         set number = excluded.number, received_at_us = excluded.received_at_us,
             alert_timestamp_us = excluded.alert_timestamp_us, severity = excluded.severity, source = excluded.source,
             author = excluded.author",
        &duplicates.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        &duplicates
            .iter()
            .map(|(_, alert)| alert.alert_timestamp_us)
            .collect::<Vec<_>>() as &[Option<i64>],
        &duplicates
            .iter()
            .map(|(_, alert)| alert.severity.clone())
            .collect::<Vec<_>>(),
        &duplicates
            .iter()
            .map(|(_, alert)| alert.source.clone())
            .collect::<Vec<_>>(),
        &duplicates
            .iter()
            .map(|(_, alert)| alert.author.clone())
            .collect::<Vec<_>>() as &[Option<String>],
        KEPT_DUPLICATES,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the number of a session's duplicates and the stored ones, newest first; `None` if the session does not
/// exist.
pub async fn duplicate_records(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<(i32, Vec<DuplicateRecord>)>, Error> {
    let count = sqlx::query_scalar!(
        "select duplicate_count from alert_sessions where session_id = $1",
        session_id.as_uuid()
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(count) = count else {
        return Ok(None);
    };
    let kept = sqlx::query_as!(
        DuplicateRecord,
        "select number, received_at_us, alert_timestamp_us, severity, source, author
         from session_duplicates where session_id = $1 order by number desc",
        session_id.as_uuid()
    )
    .fetch_all(conn)
    .await?;
    Ok(Some((count, kept)))
}
