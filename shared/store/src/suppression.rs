//! Suppresses alerts: counts them on an earlier session instead of investigating them again.

use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionStatus, Suppressed};
use uuid::Uuid;

use crate::Error;
use crate::duplicates::count_duplicates;
use crate::new_session::{NewSession, Suppressible};
use crate::sessions::{Accepted, insert_sessions};

/// The session on which a suppressed alert is counted.
#[derive(Clone, Copy, Debug)]
pub struct SuppressingSession {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Alert id of the session.
    pub alert_id: Uuid,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Time when it was accepted, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when it ended, in Unix microseconds; `None` while it runs.
    pub completed_at_us: Option<i64>,
    /// The rule that suppressed the alert.
    pub reason: Suppressed,
}

/// Inserts the session of an alert, unless the alert is suppressed. Then it is counted on the session that suppresses
/// it.
///
/// Call it in a transaction. The row of the subject stays locked until the transaction ends. Therefore two processes
/// that accept the same problem at the same time see each other's decision.
///
/// # Errors
///
/// [`Error::Database`]; the alert was not accepted then.
pub async fn insert_unless_suppressed(
    conn: &mut PgConnection,
    new: &NewSession,
    suppressible: &Suppressible,
) -> Result<Accepted, Error> {
    note_occurrence(conn, new, suppressible).await?;
    if let Some(session) = find(conn, new, suppressible, Noted::Yes).await? {
        count_duplicates(conn, &[(session.session_id, new)]).await?;
        return Ok(Accepted::Suppressed {
            session_id: session.session_id,
            alert_id: session.alert_id,
        });
    }
    let mut accepted = insert_sessions(conn, std::slice::from_ref(new)).await?;
    let accepted = accepted.pop().ok_or(sqlx::Error::RowNotFound)?;
    if let Accepted::Fresh { session_id, .. } | Accepted::Duplicate { session_id, .. } = accepted {
        sqlx::query!(
            "update alert_occurrences set session_id = $1 where subject = $2 and (session_id is null or $3)",
            session_id.as_uuid(),
            suppressible.subject,
            matches!(accepted, Accepted::Fresh { .. }),
        )
        .execute(conn)
        .await?;
    }
    Ok(accepted)
}

/// Locks the row of the subject and adds this occurrence, unless the sender reported it before.
async fn note_occurrence(
    conn: &mut PgConnection,
    new: &NewSession,
    suppressible: &Suppressible,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into alert_occurrences as o (subject, last_key, seen_us) values ($1, $2, array[now_us()])
         on conflict (subject) do update
         set last_key = $2,
             seen_us = case when o.last_key = $2 then o.seen_us
                            else (o.seen_us || now_us())[greatest(cardinality(o.seen_us) + 2 - $3::int, 1):] end",
        suppressible.subject,
        new.idempotency_key,
        i32::from(suppressible.rule.remembered()),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the session that would suppress the alert now, if any. Writes nothing.
pub async fn suppressing_session(
    conn: &mut PgConnection,
    new: &NewSession,
    suppressible: &Suppressible,
) -> Result<Option<SuppressingSession>, Error> {
    find(conn, new, suppressible, Noted::No).await
}

/// Whether the stored occurrences already include this alert.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Noted {
    Yes,
    No,
}

/// Finds the session that suppresses an alert. Excludes alerts whose idempotency key already has a session, and live
/// sessions with the same fingerprint: the alert is then a duplicate.
async fn find(
    conn: &mut PgConnection,
    new: &NewSession,
    suppressible: &Suppressible,
    noted: Noted,
) -> Result<Option<SuppressingSession>, Error> {
    let row = sqlx::query!(
        r#"
        select s.session_id as "session_id: SessionId", s.alert_id, s.status as "status: SessionStatus", s.started_at_us,
               s.completed_at_us, o.seen_us, now_us() as "now_us!"
        from alert_occurrences o join alert_sessions s using (session_id)
        where o.subject = $1
          and (s.status = 'completed' or (s.status in ('pending', 'in_progress') and s.fingerprint <> $2))
          and not exists (select from alert_sessions k where k.idempotency_key = $3)
        "#,
        suppressible.subject,
        new.fingerprint,
        new.idempotency_key,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|row| {
        let mut occurrences = row.seen_us;
        if noted == Noted::No {
            occurrences.push(row.now_us);
        }
        let reason = suppressible
            .rule
            .reason(row.now_us, row.completed_at_us, &occurrences)?;
        Some(SuppressingSession {
            session_id: row.session_id,
            alert_id: row.alert_id,
            status: row.status,
            started_at_us: row.started_at_us,
            completed_at_us: row.completed_at_us,
            reason,
        })
    }))
}
