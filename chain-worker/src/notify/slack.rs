//! Posts notifications as a Slack app, each session's in one thread.
//!
//! The thread hangs under Alertmanager's message of the alert where that is among the newest messages of the channel. Slack
//! takes no id from who posts, so a delivery whose answer was lost is looked for by its metadata before it is posted again.

use chrono::Utc;
use tarsy_slack::{Refusal as SlackRefusal, Thread, marks, metadata, own_message, thread_of};
use uuid::Uuid;

use super::attempt::{Refusal, Taken};
use super::message::Message;
use super::target::SlackTarget;

/// How far back the channel is looked through, in seconds; further only for a delivery that is older.
const RECENT: i64 = 3_600;

/// Post once into the session's thread; a delivery that was begun before (`is_repeated`) is looked for first.
pub(super) async fn post(
    slack: &SlackTarget,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Taken, Refusal> {
    let due = message.due;
    let (session, delivery) = (due.session_id.to_string(), delivery.to_string());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the age of a row, in seconds"
    )]
    let age = due.age_seconds as i64;
    let since = Utc::now().timestamp() - RECENT.max(age + 60);

    let mut thread = due.slack_thread.clone().map(|ts| Thread { ts });
    if thread.is_none() {
        let recent = found(slack.api.recent(since).await)?;
        if is_repeated && let Some(own) = own_message(&recent, &delivery) {
            return Ok(taken(200, own["thread_ts"].as_str().or(own["ts"].as_str())));
        }
        thread = thread_of(&recent, &session, &marks(&due.alert_data));
    }
    if let Some(thread) = thread.as_ref().filter(|_| is_repeated) {
        let replies = found(slack.api.replies(&thread.ts, since).await)?;
        if own_message(&replies, &delivery).is_some() {
            return Ok(taken(200, Some(&thread.ts)));
        }
    }

    let mut body = message.slack_app(slack.takes_decisions);
    body["metadata"] = metadata(&session, &delivery);
    if let Some(thread) = &thread {
        body["thread_ts"] = thread.ts.clone().into();
    }
    let posted = slack.api.post(body).await.map_err(refusal)?;
    let ts = thread.map_or(posted.ts, |thread| thread.ts);
    Ok(taken(posted.status, Some(&ts)))
}

/// What was found in the channel. An app that may not read it finds nothing, and posts all the same.
fn found(
    read: Result<Vec<serde_json::Value>, SlackRefusal>,
) -> Result<Vec<serde_json::Value>, Refusal> {
    match read {
        Err(error) if error.is_final() => {
            tracing::info!(error = error.error, "the Slack app can't read its channel");
            Ok(Vec::new())
        }
        read => read.map_err(refusal),
    }
}

fn taken(status: i32, thread: Option<&str>) -> Taken {
    let thread = thread.filter(|ts| !ts.is_empty());
    Taken {
        status: Some(status),
        slack_thread: thread.map(str::to_owned),
    }
}

fn refusal(refusal: SlackRefusal) -> Refusal {
    Refusal {
        status: refusal.status,
        error: refusal.error,
        retry_after: refusal.retry_after,
        is_final: refusal.status == Some(410),
    }
}
