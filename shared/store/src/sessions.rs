//! Accepts alerts.

use std::collections::HashSet;

use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::SessionId;
use uuid::Uuid;

use crate::Error;
use crate::dedup_lookup::find_existing_sessions;
use crate::duplicates::count_duplicates;
use crate::new_session::NewSession;

/// Result for an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A session was created. The caller must enqueue its chain job.
    Fresh {
        /// The new session.
        session_id: SessionId,
        /// The id that the sender uses to query the alert.
        alert_id: Uuid,
    },
    /// A live session has the same fingerprint, or the same idempotency key was used before.
    Duplicate {
        /// The existing session.
        session_id: SessionId,
        /// Its alert id.
        alert_id: Uuid,
    },
    /// Another session is about the same problem, and the chain suppresses repetitions.
    Suppressed {
        /// The session that the alert is counted on.
        session_id: SessionId,
        /// Its alert id.
        alert_id: Uuid,
    },
    /// The idempotency key was used for a different alert.
    KeyReused,
}

impl Accepted {
    /// Returns the session and the alert id for the response to the sender; `None` if there is none.
    #[must_use]
    pub const fn ids(&self) -> Option<(SessionId, Uuid)> {
        match self {
            Self::Fresh {
                session_id,
                alert_id,
            }
            | Self::Duplicate {
                session_id,
                alert_id,
            }
            | Self::Suppressed {
                session_id,
                alert_id,
            } => Some((*session_id, *alert_id)),
            Self::KeyReused => None,
        }
    }
}

/// Inserts many sessions in one statement. Counts duplicates on the existing session. Returns the results in the order
/// of `new`.
///
/// Unique indexes decide, so two processes that accept the same alert at the same time create one session.
///
/// # Errors
///
/// [`Error::Database`]; no alert was accepted then.
pub async fn insert_sessions(
    conn: &mut PgConnection,
    new: &[NewSession],
) -> Result<Vec<Accepted>, Error> {
    let mut answers: Vec<Option<Accepted>> = vec![None; new.len()];
    // If the original of a duplicate ends between the two statements, the duplicate is new. Another round detects
    // that.
    for _ in 0..3 {
        let open: Vec<usize> = (0..new.len()).filter(|&i| answers[i].is_none()).collect();
        if open.is_empty() {
            break;
        }
        insert_fresh(conn, new, &open, &mut answers).await?;
        find_duplicates(conn, new, &mut answers).await?;
    }
    answers
        .into_iter()
        .map(|answer| answer.ok_or(Error::Database(sqlx::Error::RowNotFound)))
        .collect()
}

/// Inserts the sessions that don't exist yet, one per fingerprint and key.
async fn insert_fresh(
    conn: &mut PgConnection,
    new: &[NewSession],
    open: &[usize],
    answers: &mut [Option<Accepted>],
) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let mut first: Vec<&NewSession> = open
        .iter()
        .map(|&i| &new[i])
        .filter(|s| {
            let key_is_new = s
                .idempotency_key
                .as_deref()
                .is_none_or(|key| seen.insert(("key", key)));
            key_is_new && seen.insert(("fingerprint", s.fingerprint.as_str()))
        })
        .collect();
    // Every batch uses the same order, so that two batches with the same alerts wait for each other instead of
    // deadlocking.
    first.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));

    let inserted: HashSet<SessionId> = sqlx::query_scalar!(
        r#"
        insert into alert_sessions
            (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author,
             fingerprint, idempotency_key, chain_id, chain_definition, runbook_url, traceparent)
        select session_id, alert_id, alert_type, alert_data, severity, coalesce(alert_timestamp_us, now_us()), source,
               author, fingerprint, idempotency_key, chain_id, chain_definition, runbook_url, traceparent
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[], $5::text[], $6::bigint[], $7::text[], $8::text[],
                    $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::text[], $14::text[])
            as t (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author,
                  fingerprint, idempotency_key, chain_id, chain_definition, runbook_url, traceparent)
        on conflict do nothing
        returning session_id as "session_id: SessionId"
        "#,
        &first.iter().map(|s| s.session_id.as_uuid()).collect::<Vec<_>>(),
        &first.iter().map(|s| s.alert_id).collect::<Vec<_>>(),
        &first.iter().map(|s| s.alert_type.clone()).collect::<Vec<_>>(),
        &first.iter().map(|s| Json(&s.data)).collect::<Vec<_>>() as &[Json<&Box<RawValue>>],
        &first.iter().map(|s| s.severity.clone()).collect::<Vec<_>>(),
        &first.iter().map(|s| s.alert_timestamp_us).collect::<Vec<_>>() as &[Option<i64>],
        &first.iter().map(|s| s.source.clone()).collect::<Vec<_>>(),
        &first.iter().map(|s| s.author.clone()).collect::<Vec<_>>() as &[Option<String>],
        &first.iter().map(|s| s.fingerprint.clone()).collect::<Vec<_>>(),
        &first.iter().map(|s| s.idempotency_key.clone()).collect::<Vec<_>>() as &[Option<String>],
        &first.iter().map(|s| s.chain_id.clone()).collect::<Vec<_>>(),
        &first.iter().map(|s| Json(&s.chain_definition)).collect::<Vec<_>>() as &[Json<&Box<RawValue>>],
        &first.iter().map(|s| s.runbook_url.clone()).collect::<Vec<_>>() as &[Option<String>],
        &first.iter().map(|s| s.traceparent.clone()).collect::<Vec<_>>() as &[Option<String>],
    )
    .fetch_all(conn)
    .await?
    .into_iter()
    .collect();

    for &i in open {
        if inserted.contains(&new[i].session_id) {
            answers[i] = Some(Accepted::Fresh {
                session_id: new[i].session_id,
                alert_id: new[i].alert_id,
            });
        }
    }
    Ok(())
}

/// Finds the existing sessions of alerts that have no result yet, and counts the alerts there.
async fn find_duplicates(
    conn: &mut PgConnection,
    new: &[NewSession],
    answers: &mut [Option<Accepted>],
) -> Result<(), Error> {
    let open: Vec<usize> = (0..new.len()).filter(|&i| answers[i].is_none()).collect();
    if open.is_empty() {
        return Ok(());
    }
    let remaining: Vec<&NewSession> = open.iter().map(|&i| &new[i]).collect();
    let originals = find_existing_sessions(conn, &remaining).await?;
    let mut duplicates = Vec::new();
    for (i, original) in open.into_iter().zip(originals) {
        let Some(original) = original else {
            continue;
        };
        answers[i] = Some(if original.is_about(&new[i]) {
            // A batch that is repeated because the reply to its commit was lost finds its own session.
            if original.session_id != new[i].session_id {
                duplicates.push((original.session_id, &new[i]));
            }
            Accepted::Duplicate {
                session_id: original.session_id,
                alert_id: original.alert_id,
            }
        } else {
            Accepted::KeyReused
        });
    }
    count_duplicates(conn, &duplicates).await
}

/// Marks the newest session of each fingerprint as resolved. Returns the sessions found. Used for webhooks that
/// identify the problem. Webhooks in Alertmanager's format identify the occurrence (see
/// [`resolve_sessions`](crate::resolved::resolve_sessions)).
pub async fn mark_resolved(
    conn: &mut PgConnection,
    fingerprints: &[String],
) -> Result<Vec<(String, SessionId)>, Error> {
    let rows = sqlx::query!(
        r#"
        update alert_sessions s set resolved_at_us = coalesce(s.resolved_at_us, now_us())
        from (
            select distinct on (fingerprint) session_id from alert_sessions
            where fingerprint = any($1) and source not in ('api', 'alertmanager', 'grafana')
            order by fingerprint, started_at_us desc
        ) newest
        where s.session_id = newest.session_id
        returning s.fingerprint, s.session_id as "session_id: SessionId"
        "#,
        fingerprints,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.fingerprint, r.session_id))
        .collect())
}
