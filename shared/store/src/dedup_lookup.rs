//! Finds the existing session that a duplicate alert is merged into.

use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionStatus};
use uuid::Uuid;

use crate::Error;
use crate::new_session::NewSession;

/// The existing session of an alert: found by its idempotency key in any state, or by its fingerprint while it is
/// live.
#[derive(Clone, Debug)]
pub struct ExistingSession {
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Alert id of the session.
    pub alert_id: Uuid,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Time when it was accepted, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when it ended, in Unix microseconds.
    pub completed_at_us: Option<i64>,
    /// Whether it was found by the idempotency key.
    pub is_by_key: bool,
    fingerprint: String,
}

impl ExistingSession {
    /// Returns whether it is about the same alert. If not, the key was used for another alert.
    #[must_use]
    pub fn is_about(&self, alert: &NewSession) -> bool {
        self.fingerprint == alert.fingerprint
    }
}

/// Finds the existing session of each alert. Returns them in the order of the alerts.
pub async fn find_existing_sessions(
    conn: &mut PgConnection,
    alerts: &[&NewSession],
) -> Result<Vec<Option<ExistingSession>>, Error> {
    let rows = sqlx::query!(
        r#"
        select d.place as "place!", s.session_id as "session_id!: SessionId", s.alert_id as "alert_id!",
               s.fingerprint as "fingerprint!", s.status as "status!: SessionStatus", s.started_at_us as "started_at_us!",
               s.completed_at_us, s.rank as "rank!"
        from unnest($1::text[], $2::text[]) with ordinality as d (fingerprint, idempotency_key, place)
        cross join lateral (
            (select session_id, alert_id, fingerprint, status, started_at_us, completed_at_us, 0 as rank from alert_sessions
             where idempotency_key = d.idempotency_key)
            union all
            (select session_id, alert_id, fingerprint, status, started_at_us, completed_at_us, 1 from alert_sessions
             where fingerprint = d.fingerprint and status in ('pending', 'in_progress'))
            order by rank
            limit 1
        ) s
        "#,
        &alerts.iter().map(|a| a.fingerprint.clone()).collect::<Vec<_>>(),
        &alerts.iter().map(|a| a.idempotency_key.clone()).collect::<Vec<_>>() as &[Option<String>],
    )
    .fetch_all(conn)
    .await?;
    let mut found = vec![None; alerts.len()];
    for row in rows {
        let place = usize::try_from(row.place - 1).unwrap_or(usize::MAX);
        if let Some(slot) = found.get_mut(place) {
            *slot = Some(ExistingSession {
                session_id: row.session_id,
                alert_id: row.alert_id,
                status: row.status,
                started_at_us: row.started_at_us,
                completed_at_us: row.completed_at_us,
                is_by_key: row.rank == 0,
                fingerprint: row.fingerprint,
            });
        }
    }
    Ok(found)
}
