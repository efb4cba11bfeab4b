//! Ends sessions in one statement: the fence, rows, events and notifications.
//!
//! Like the statement that accepts alerts, it uses tables of both `tarsy-store` and `tarsy-queue`
//! (docs/decisions/0005-one-statement-a-transition.md).

use std::collections::HashSet;

use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_chain::SessionEnd;
use tarsy_model::{
    CHILDREN_JOB, CHILDREN_PRIORITY, SessionOutcome, SessionStatus, chain_queue, job_requirement,
};
use tarsy_store::column;
use tarsy_store::deliveries::NewDelivery;
use uuid::Uuid;

use super::Finish;
use crate::notify::{DELIVERY_JOB, WEBHOOK_QUEUE};

/// Ends the sessions whose claims are still held. Returns the job ids of those claims. Does not change sessions that
/// have already ended. Makes those `deliveries` due whose event and filter match the end of their session.
pub(super) async fn finish_sessions(
    conn: &mut PgConnection,
    batch: &[Finish],
    deliveries: &[NewDelivery],
) -> Result<HashSet<Uuid>, sqlx::Error> {
    let held = sqlx::query_scalar!(
        r#"
        with finish as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::session_status[], $6::session_outcome[],
                $7::uuid[], $8::text[], $9::jsonb[])
            as f (job_id, owner, epoch, session_id, status, outcome, analysis_from, error, verified_by)
        ),
        -- The fence.
        held as (
            delete from jobs j using finish f
            where j.id = any(array[f.job_id])
              and j.owner is not distinct from f.owner and j.epoch = f.epoch
            returning f.*
        ),
        -- Sessions are updated in the order of their ids, in which other statements lock them, so that transactions can't deadlock.
        -- A session ends only once. Its last stage is read from its stages, because a stage that ends does not update the session.
        ended as (
            update alert_sessions s
            set status = h.status, outcome = h.outcome, error_message = h.error, completed_at_us = now_us(),
                (final_analysis, label) =
                    (select stage_output ->> 'result', stage_output ->> 'label'
                     from stage_executions where execution_id = h.analysis_from),
                (verdict, verdict_check) =
                    (select c ->> 'verdict', c
                     from lowered_check(checked_answer(h.session_id, h.analysis_from), h.verified_by) c),
                (current_stage_index, current_stage_id) =
                    (select e.stage_index, e.stage_id from stage_executions e where e.session_id = s.session_id
                     order by e.round desc, e.stage_index desc limit 1)
            from (select * from held order by session_id) h
            where s.session_id = any(array[h.session_id]) and s.completed_at_us is null
            returning s.session_id, s.status, s.outcome, s.error_message, s.severity, s.alert_type, s.parent_session_id,
                s.conversation_id, s.verdict, s.label
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, 'session_status_change', jsonb_build_object(
                'type', 'session_status_change', 'session_id', session_id, 'status', status, 'outcome', outcome,
                'message', error_message)
            from ended
        ),
        -- Targets whose filters the session passes.
        announced as (
            insert into webhook_deliveries (delivery_id, session_id, target, event)
            select d.delivery_id, d.session_id, d.target, d.event
            from unnest($10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::jsonb[])
                as d (delivery_id, session_id, target, event, filter)
            join ended e on e.session_id = d.session_id and 'session.' || e.status = d.event
              and coalesce(d.filter -> 'severity' ? lower(e.severity), true)
              and coalesce(d.filter -> 'alert_type' ? e.alert_type, true)
              and coalesce(d.filter -> 'outcome' ? e.outcome::text, true)
              and coalesce(d.filter -> 'verdict' ? e.verdict, true)
              -- Most sessions have no label. A filter by label does not match them.
              and (not d.filter ? 'label' or coalesce(d.filter -> 'label' ? e.label, false))
              -- An answer goes to the person who asked. The end of an alert's session goes to the channel.
              and e.parent_session_id is null
            returning delivery_id
        ),
        queued as (
            insert into jobs (id, queue, kind, subject, unique_key, priority, rank, requires)
            select n.job_id, $15::text, $16::text, n.delivery_id, 'delivery:' || n.delivery_id, 0, clock_timestamp(), null::text[]
            from announced join unnest($10::uuid[], $17::uuid[]) as n (delivery_id, job_id) using (delivery_id)
            union all
            -- The stage that started the child may wait for it. A job checks this after the commit, because a check in
            -- this transaction might miss a wait that begins at the same time.
            select gen_random_uuid(), $18::text, $19::text, parent_session_id, null, $20::smallint, job_rank($20, clock_timestamp()),
                   $21::text[]
            from ended
            where parent_session_id is not null and conversation_id is null
        )
        select job_id as "job_id!" from held
        "#,
        &column(batch, |f| f.claim.job_id),
        &column(batch, |f| f.claim.owner),
        &column(batch, |f| f.claim.epoch),
        &column(batch, |f| f.session.session_id.as_uuid()),
        &column(batch, |f| f.session.status) as &[SessionStatus],
        &column(batch, |f| f.session.outcome) as &[Option<SessionOutcome>],
        &column(batch, |f| f.session.analysis_from.map(|id| id.as_uuid())) as &[Option<Uuid>],
        &column(batch, |f| f.session.error.as_deref()) as &[Option<&str>],
        &column(batch, |f| verified_by(&f.session)) as &[Option<Value>],
        &column(deliveries, |d| d.delivery_id),
        &column(deliveries, |d| d.session_id.as_uuid()),
        &column(deliveries, |d| d.target.as_str()) as &[&str],
        &column(deliveries, |d| d.event.as_str()) as &[&str],
        &column(deliveries, |d| d.filter.clone()),
        WEBHOOK_QUEUE,
        DELIVERY_JOB,
        &column(deliveries, |_| Uuid::now_v7()),
        chain_queue(),
        CHILDREN_JOB,
        CHILDREN_PRIORITY,
        &[job_requirement(CHILDREN_JOB)] as &[String],
    )
    .fetch_all(conn)
    .await?;
    Ok(held.into_iter().collect())
}

/// Returns the attempts that verified the answer, in the form that the statement reads.
fn verified_by(end: &SessionEnd) -> Option<Value> {
    let ids = &end.verified_by;
    (!ids.is_empty()).then(|| json!(ids))
}
