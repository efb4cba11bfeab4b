//! Commits a batch of alerts in one statement: sessions, their chain jobs and their first events.
//!
//! This is the only statement outside `tarsy-store` and `tarsy-queue`, because it writes tables of
//! both. BEGIN, three inserts and COMMIT would be five round trips to Postgres; this is one. For
//! the gain see docs/decisions/0005-one-statement-a-transition.md.

use std::collections::HashSet;

use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_failpoint::reached;
use tarsy_model::{SessionId, SessionStatus, chain_queue, priority_of};
use tarsy_store::events::NewEvent;
use tarsy_store::new_session::NewSession;
use uuid::Uuid;

/// Inserts the sessions of alerts that have none yet. Returns their ids.
///
/// The unique indexes decide. An alert gets no row if there is a live session with its fingerprint
/// or if its key was used, also within the same batch.
pub(super) async fn accept(
    conn: &mut PgConnection,
    mut alerts: Vec<&NewSession>,
) -> Result<HashSet<SessionId>, sqlx::Error> {
    // The order is the same in all processes, so that two batches with the same alerts wait instead
    // of deadlocking.
    alerts.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));
    let (chains, chain_of) = chains(&alerts);
    let pending = |alert: &NewSession| {
        NewEvent::session_status(alert.session_id, SessionStatus::Pending, None, None)
    };
    let kind = NewEvent::SESSION_STATUS;

    reached("ingest.accept.before_commit");
    let mut fresh = HashSet::new();
    fresh.extend(
        sqlx::query_scalar!(
            r#"
            with alert as (
                select * from unnest(
                    $1::uuid[], $2::uuid[], $3::text[], $4::jsonb[], $5::text[], $6::bigint[], $7::text[], $8::text[],
                    $9::text[], $10::text[], $11::text[], $12::int[], $13::text[], $14::text[],
                    $15::uuid[], $16::smallint[], $17::jsonb[])
                as a (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author,
                      fingerprint, idempotency_key, chain_id, chain, runbook_url, traceparent,
                      job_id, priority, event)
            ),
            -- The referee: a duplicate inserts no row, so it gets no job and no event.
            fresh as (
                insert into alert_sessions
                    (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, author,
                     fingerprint, idempotency_key, chain_id, chain_definition, runbook_url, traceparent)
                select session_id, alert_id, alert_type, alert_data, severity, coalesce(alert_timestamp_us, now_us()),
                       source, author, fingerprint, idempotency_key, chain_id, ($18::jsonb[])[chain], runbook_url,
                       traceparent
                from alert
                on conflict do nothing
                returning session_id
            ),
            queued as (
                insert into jobs (id, queue, kind, subject, priority, rank, traceparent)
                select job_id, $19, 'chain', session_id, priority, job_rank(priority, clock_timestamp()), traceparent
                from fresh join alert using (session_id)
            ),
            new_events as (
                insert into events (session_id, kind, payload)
                select session_id, $20, event from fresh join alert using (session_id)
            )
            select session_id as "session_id: SessionId" from fresh
            "#,
            &column(&alerts, |a| a.session_id.as_uuid()),
            &column(&alerts, |a| a.alert_id),
            &column(&alerts, |a| a.alert_type.as_str()) as &[&str],
            &column(&alerts, |a| Json(&*a.data)) as &[Json<&RawValue>],
            &column(&alerts, |a| a.severity.as_str()) as &[&str],
            &column(&alerts, |a| a.alert_timestamp_us) as &[Option<i64>],
            &column(&alerts, |a| a.source.as_str()) as &[&str],
            &column(&alerts, |a| a.author.as_deref()) as &[Option<&str>],
            &column(&alerts, |a| a.fingerprint.as_str()) as &[&str],
            &column(&alerts, |a| a.idempotency_key.as_deref()) as &[Option<&str>],
            &column(&alerts, |a| a.chain_id.as_str()) as &[&str],
            &chain_of,
            &column(&alerts, |a| a.runbook_url.as_deref()) as &[Option<&str>],
            &column(&alerts, |a| a.traceparent.as_deref()) as &[Option<&str>],
            &column(&alerts, |_| Uuid::now_v7()),
            &column(&alerts, |a| priority_of(&a.severity)),
            &column(&alerts, |a| pending(a).payload),
            &chains as &[Json<&RawValue>],
            chain_queue(),
            kind,
        )
        .fetch_all(conn)
        .await?,
    );
    reached("ingest.accept.after_commit");
    Ok(fresh)
}

fn column<'a, T>(alerts: &[&'a NewSession], field: impl Fn(&'a NewSession) -> T) -> Vec<T> {
    alerts.iter().map(|alert| field(alert)).collect()
}

/// Returns each chain once, and for each alert the position of its chain, from 1. A batch has few
/// chains, and parsing a definition for each alert would cost more than inserting the row.
fn chains<'a>(alerts: &[&'a NewSession]) -> (Vec<Json<&'a RawValue>>, Vec<i32>) {
    let mut chains: Vec<Json<&RawValue>> = Vec::new();
    let places = alerts.iter().map(|alert| {
        let known = chains
            .iter()
            .position(|chain| chain.0.get() == alert.chain_definition.get());
        let place = known.unwrap_or_else(|| {
            chains.push(Json(&*alert.chain_definition));
            chains.len() - 1
        });
        i32::try_from(place + 1).unwrap_or(i32::MAX)
    });
    let places = places.collect();
    (chains, places)
}
