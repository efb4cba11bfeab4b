//! Notifications: inserted together with the change that they report, delivered and listed.

mod answers;
mod groups;
mod list;
mod starts;
mod updates;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus, WaitDecision, WaitId, WaitSort};
use uuid::Uuid;

use crate::Error;
use crate::waits::WaitRecord;

pub use answers::{NewAnswer, QUESTION_ANSWERED, insert_answer};
pub use groups::{DeliveryGroup, FailedFilter, group_undelivered, matching_failed};
pub use list::{DeliveryRecord, Undelivered, count_undelivered, list_deliveries, reset_delivery};
pub use starts::{SESSION_STARTED, insert_start_notices};
pub use updates::{NewWaitUpdate, UpdatedMessage, insert_wait_updates};

/// Queue of delivery jobs.
pub const DELIVERY_QUEUE: &str = "webhook";
/// Kind of delivery jobs. The subject is the delivery.
pub const DELIVERY_KIND: &str = "delivery";

/// A new delivery.
#[derive(Clone, Debug)]
pub struct NewDelivery {
    /// Id of the delivery, also sent as `webhook-id` with every attempt.
    pub delivery_id: Uuid,
    /// Session that ended.
    pub session_id: SessionId,
    /// Name of the target.
    pub target: String,
    /// Event: `session.completed`, `session.failed` or `session.cancelled`.
    pub event: String,
    /// Filter of the target, which the inserting statement evaluates: an object with the accepted values of
    /// `severity`, `alert_type`, `outcome`, `verdict` and `label`. A missing key accepts all values.
    pub filter: Value,
}

/// Inserts deliveries whose filter matches, in the transaction that ends their sessions.
pub async fn insert_deliveries(conn: &mut PgConnection, new: &[NewDelivery]) -> Result<(), Error> {
    sqlx::query!(
        "insert into webhook_deliveries (delivery_id, session_id, target, event)
         select d.delivery_id, d.session_id, d.target, d.event
         from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[])
             as d (delivery_id, session_id, target, event, filter)
         join alert_sessions s using (session_id)
         where coalesce(d.filter -> 'severity' ? lower(s.severity), true)
           and coalesce(d.filter -> 'alert_type' ? s.alert_type, true)
           and coalesce(d.filter -> 'outcome' ? s.outcome::text, true)
           and coalesce(d.filter -> 'verdict' ? s.verdict, true)
           and (not d.filter ? 'label' or coalesce(d.filter -> 'label' ? s.label, false))",
        &new.iter().map(|d| d.delivery_id).collect::<Vec<_>>(),
        &new.iter()
            .map(|d| d.session_id.as_uuid())
            .collect::<Vec<_>>(),
        &new.iter().map(|d| d.target.clone()).collect::<Vec<_>>(),
        &new.iter().map(|d| d.event.clone()).collect::<Vec<_>>(),
        &new.iter().map(|d| d.filter.clone()).collect::<Vec<_>>(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A new notification of a wait.
#[derive(Clone, Copy, Debug)]
pub struct NewWaitNotice<'a> {
    /// Id of the delivery, also sent as `webhook-id` with every attempt.
    pub delivery_id: Uuid,
    /// Name of the target.
    pub target: &'a str,
}

/// Inserts the notifications of a wait. A target that already has one gets no other. Returns the ids of the new ones.
pub async fn insert_wait_notices(
    conn: &mut PgConnection,
    wait: &WaitRecord,
    notices: &[NewWaitNotice<'_>],
) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "insert into webhook_deliveries (delivery_id, session_id, wait_id, target, event)
         select n.delivery_id, $1, $2, n.target, 'session.waiting' from unnest($3::uuid[], $4::text[]) as n (delivery_id, target)
         on conflict (wait_id, target) where wait_id is not null do nothing
         returning delivery_id",
        wait.session_id.as_uuid(),
        wait.wait_id.as_uuid(),
        &notices.iter().map(|n| n.delivery_id).collect::<Vec<_>>(),
        &notices.iter().map(|n| n.target).collect::<Vec<_>>() as &[&str],
    )
    .fetch_all(conn)
    .await?)
}

/// The wait that a notification is about.
#[derive(Clone, Debug)]
pub struct NotifiedWait {
    /// Identifies the wait in the API and in its jobs.
    pub wait_id: WaitId,
    /// Kind of the wait.
    pub sort: WaitSort,
    /// Text of the question. Masked.
    pub question: String,
    /// Tool call that needs approval. Masked.
    pub call: Option<Value>,
    /// For an open gate, the last result of a completed stage: up to 2,000 characters. Masked.
    pub conclusion: Option<String>,
    /// Lowest role that may decide.
    pub role: Option<String>,
    /// Time when the wait expires, in Unix microseconds.
    pub expires_at_us: i64,
    /// The same time in RFC 3339, UTC.
    pub expires_at: String,
    /// The decision, if any.
    pub decision: Option<WaitDecision>,
    /// Time of the decision, in Unix microseconds.
    pub decided_at_us: Option<i64>,
    /// Name of the caller who decided; `None` if no caller did.
    pub decided_by: Option<String>,
    /// Method by which that caller was authenticated.
    pub means: Option<String>,
    /// Reason that the caller gave. Masked.
    pub reason: Option<String>,
}

/// A pending delivery with its payload.
#[derive(Clone, Debug)]
pub struct DueDelivery {
    /// Name of the target.
    pub target: String,
    /// The event, e.g. `session.completed`.
    pub event: String,
    /// Attempts made so far.
    pub attempts: i32,
    /// Row of `alert_sessions`.
    pub session_id: SessionId,
    /// Alert id of the session.
    pub alert_id: Uuid,
    /// Type of the alert.
    pub alert_type: String,
    /// Severity of the alert; free text.
    pub severity: String,
    /// Chain of the session.
    pub chain_id: String,
    /// Source of the alert, e.g. `alertmanager`.
    pub source: String,
    /// Data that the sender posted, including secrets.
    pub alert_data: Value,
    /// Time since the delivery was created, in seconds.
    pub age_seconds: f64,
    /// Status of the session.
    pub status: SessionStatus,
    /// Outcome of the session.
    pub outcome: Option<SessionOutcome>,
    /// Verdict of the check of its answer, as a value of `SessionVerdict`; `None` while the session is live.
    pub verdict: Option<String>,
    /// The verdict in one sentence.
    pub verdict_summary: Option<String>,
    /// Label of the chain that the agent chose for the session.
    pub label: Option<String>,
    /// Reason why the session failed.
    pub error_message: Option<String>,
    /// Answer of the session.
    pub final_analysis: Option<String>,
    /// Time when the session was accepted, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when it ended, in Unix microseconds.
    pub completed_at_us: Option<i64>,
    /// The wait that the notification is about, if any.
    pub wait: Option<NotifiedWait>,
    /// Thread of the session in the target's Slack channel, if it exists.
    pub slack_thread: Option<String>,
    /// The message that this delivery changes, if it posts no new one.
    pub updates: Option<UpdatedMessage>,
    /// Whether an earlier message of the session to this target has not been attempted yet.
    pub has_earlier_message: bool,
    /// If the session is a question, the session that it is about.
    pub conversation_id: Option<SessionId>,
    /// Name of the caller who sent the alert or asked the question.
    pub author: Option<String>,
}

/// Reads a pending delivery. Returns `None` if it is no longer pending, or was deleted with its session.
pub async fn due_delivery(
    conn: &mut PgConnection,
    delivery_id: Uuid,
) -> Result<Option<DueDelivery>, Error> {
    let row = sqlx::query!(
        r#"
        select d.target, d.event, d.attempts, s.session_id as "session_id: SessionId", s.alert_id, s.alert_type,
               s.severity, s.chain_id, s.source, s.alert_data,
               ((now_us() - d.created_at_us) / 1000000.0)::float8 as "age_seconds!", s.status as "status: SessionStatus", s.outcome as "outcome: SessionOutcome",
               s.verdict, s.verdict_check ->> 'summary' as verdict_summary, s.label, s.error_message, s.final_analysis, s.started_at_us, s.completed_at_us,
               w.wait_id as "wait_id?: WaitId", w.sort as "sort?: WaitSort", w.question as "question?", w.call as "call?", w.role,
               case when w.sort = 'approval' and w.decision is null then (
                   select left(e.stage_output ->> 'result', 2000) from stage_executions e
                   where e.session_id = w.session_id and e.status = 'completed' and e.agent not like 'wait:%'
                     and e.stage_output ->> 'result' <> ''
                   order by e.stage_index desc, e.attempt desc limit 1) end as conclusion,
               (extract(epoch from w.expires_at) * 1000000)::bigint as expires_at_us,
               to_char(w.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as expires_at,
               w.decision as "decision: WaitDecision", w.decided_at_us, w.decided_by, w.means, w.reason,
               t.thread_ts as "slack_thread?", m.delivery_id as "message_id?", m.state::text as "message_state?", m.message_ts,
               ((now_us() - m.created_at_us) / 1000000.0)::float8 as message_age,
               exists (select from webhook_deliveries e
                       where e.session_id = d.session_id and e.target = d.target and e.state = 'pending' and e.attempts = 0
                         and e.updates is null and (e.created_at_us, e.delivery_id) < (d.created_at_us, d.delivery_id)) as "has_earlier_message!",
               s.conversation_id as "conversation_id: SessionId", s.author
        from webhook_deliveries d join alert_sessions s using (session_id)
        left join webhook_deliveries m on m.delivery_id = d.updates
        left join waits w on w.wait_id = coalesce(d.wait_id, m.wait_id)
        left join slack_threads t on t.session_id = d.session_id and t.target = d.target
        where d.delivery_id = $1 and d.state = 'pending'
        "#,
        delivery_id
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| DueDelivery {
        target: r.target,
        event: r.event,
        attempts: r.attempts,
        session_id: r.session_id,
        alert_id: r.alert_id,
        alert_type: r.alert_type,
        severity: r.severity,
        chain_id: r.chain_id,
        source: r.source,
        alert_data: r.alert_data,
        age_seconds: r.age_seconds,
        status: r.status,
        outcome: r.outcome,
        verdict: r.verdict,
        verdict_summary: r.verdict_summary,
        label: r.label,
        error_message: r.error_message,
        final_analysis: r.final_analysis,
        started_at_us: r.started_at_us,
        completed_at_us: r.completed_at_us,
        wait: r.wait_id.zip(r.sort).map(|(wait_id, sort)| NotifiedWait {
            wait_id,
            sort,
            question: r.question.unwrap_or_default(),
            call: r.call,
            conclusion: r.conclusion,
            role: r.role,
            expires_at_us: r.expires_at_us.unwrap_or_default(),
            expires_at: r.expires_at.unwrap_or_default(),
            decision: r.decision,
            decided_at_us: r.decided_at_us,
            decided_by: r.decided_by,
            means: r.means,
            reason: r.reason,
        }),
        slack_thread: r.slack_thread,
        updates: r.message_id.map(|delivery_id| UpdatedMessage {
            delivery_id,
            is_pending: r.message_state.as_deref() == Some("pending"),
            is_delivered: r.message_state.as_deref() == Some("delivered"),
            ts: r.message_ts,
            age_seconds: r.message_age.unwrap_or_default(),
        }),
        has_earlier_message: r.has_earlier_message,
        conversation_id: r.conversation_id,
        author: r.author,
    }))
}

/// Result of one attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// HTTP status of the response, if there was one.
    pub response_status: Option<i32>,
    /// Reason why the attempt failed; `None` if the target accepted it.
    pub error: Option<String>,
    /// Whether another attempt follows a failure.
    pub again: bool,
    /// Slack thread of the message. Later messages of the session go to the same thread.
    pub slack_thread: Option<String>,
    /// Timestamp of the Slack message that was posted, by which it can be changed later.
    pub message_ts: Option<String>,
}

/// Records an attempt. If it went to a Slack thread, the first one of a session and target is stored as their thread.
pub async fn note_attempt(
    conn: &mut PgConnection,
    delivery_id: Uuid,
    attempt: &Attempt,
) -> Result<(), Error> {
    sqlx::query!(
        "with threaded as (
             insert into slack_threads (session_id, target, thread_ts)
             select session_id, target, $1 from webhook_deliveries where delivery_id = $2 and $1::text is not null
             on conflict (session_id, target) do nothing
         )
         update webhook_deliveries
         set attempts = attempts + 1, last_attempt_at_us = now_us(), response_status = $3, error = $4,
             message_ts = coalesce($5, message_ts),
             state = case when $4::text is null then 'delivered' when $6 then 'pending' else 'failed' end::delivery_state,
             delivered_at_us = case when $4::text is null then now_us() end
         where delivery_id = $2",
        attempt.slack_thread,
        delivery_id,
        attempt.response_status,
        attempt.error,
        attempt.message_ts
    ,
        attempt.again)
    .execute(conn)
    .await?;
    Ok(())
}

/// Records that a target postponed an attempt. It does not count as an attempt.
pub async fn note_rate_limit(
    conn: &mut PgConnection,
    delivery_id: Uuid,
    response_status: i32,
    error: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "update webhook_deliveries set last_attempt_at_us = now_us(), response_status = $1, error = $2
         where delivery_id = $3 and state = 'pending'",
        response_status,
        error
    ,
        delivery_id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns whether a target was notified of a wait. Decisions from a target are accepted only if it was.
pub async fn is_wait_notified(
    conn: &mut PgConnection,
    wait_id: WaitId,
    target: &str,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from webhook_deliveries where wait_id = $1 and target = $2) as "is_notified!""#,
        wait_id.as_uuid(),
        target
    )
    .fetch_one(conn)
    .await?)
}
