//! Posts notifications as a Slack app. All messages of a session go to one thread.
//!
//! If Alertmanager's message about the alert is among the newest messages of the channel, the thread starts there.
//! Slack accepts no id from its client. Before a delivery whose response was lost is posted again, it is therefore
//! searched for by its metadata.

use chrono::Utc;
use tarsy_slack::{Refusal as SlackRefusal, Thread, marks, metadata, own_message, thread_of};
use tarsy_store::deliveries::{QUESTION_ANSWERED, UpdatedMessage};
use uuid::Uuid;

use super::answer;
use super::attempt::{Receipt, Refusal};
use super::message::Message;
use super::target::SlackTarget;

/// How far back the channel is searched, in seconds. Further back only for an older delivery.
const RECENT: i64 = 3_600;

/// Posts once into the session's thread. If the delivery was begun before (`is_repeated`), searches for it first.
pub(super) async fn post(
    slack: &SlackTarget,
    delivery: Uuid,
    message: &Message<'_>,
    is_repeated: bool,
) -> Result<Receipt, Refusal> {
    let due = message.due;
    let (session, delivery) = (due.session_id.to_string(), delivery.to_string());
    let since = since(due.age_seconds);

    let mut thread = due.slack_thread.clone().map(|ts| Thread { ts });
    if thread.is_none() {
        let recent = channel_messages(slack.api.recent(since).await)?;
        if is_repeated && let Some(own) = own_message(&recent, &delivery) {
            let thread = own["thread_ts"].as_str().or(own["ts"].as_str());
            return Ok(receipt(200, thread, own["ts"].as_str()));
        }
        thread = thread_of(&recent, &session, &marks(&due.alert_data));
    }
    if let Some(thread) = thread.as_ref().filter(|_| is_repeated) {
        let replies = channel_messages(slack.api.replies(&thread.ts, since).await)?;
        if let Some(own) = own_message(&replies, &delivery) {
            return Ok(receipt(200, Some(&thread.ts), own["ts"].as_str()));
        }
    }

    let mut body = match due.event == QUESTION_ANSWERED {
        true => answer::body(message),
        false => message.slack_app(slack.takes_decisions),
    };
    body["metadata"] = metadata(&session, &delivery);
    if let Some(thread) = &thread {
        body["thread_ts"] = thread.ts.clone().into();
    }
    let posted = slack.api.post(body).await.map_err(refusal)?;
    let own = &posted.ts;
    let thread = thread.as_ref().map_or(own, |thread| &thread.ts);
    Ok(receipt(posted.status, Some(thread), Some(own)))
}

/// Updates the message that asked for a decision: the decision replaces the buttons. Idempotent, because a repetition
/// writes the same text. A deleted message needs no update.
pub(super) async fn update(
    slack: &SlackTarget,
    posted: &UpdatedMessage,
    message: &Message<'_>,
) -> Result<Receipt, Refusal> {
    let ts = match &posted.ts {
        Some(ts) => Some(ts.clone()),
        None if posted.is_delivered => find(slack, posted, message).await?,
        None => None,
    };
    let Some(ts) = ts else {
        return Ok(Receipt::with(None));
    };
    let mut body = message.slack_app(slack.takes_decisions);
    body["metadata"] = metadata(
        &message.due.session_id.to_string(),
        &posted.delivery_id.to_string(),
    );
    match slack.api.update(&ts, body).await {
        Ok(status) => Ok(Receipt::with(Some(status))),
        Err(error) if error.code.as_deref() == Some("message_not_found") => Ok(Receipt::with(None)),
        Err(error) => Err(refusal(error)),
    }
}

/// Searches for a message whose timestamp was not recorded, because an older version posted it.
async fn find(
    slack: &SlackTarget,
    posted: &UpdatedMessage,
    message: &Message<'_>,
) -> Result<Option<String>, Refusal> {
    let since = since(posted.age_seconds);
    let messages = match &message.due.slack_thread {
        Some(thread) => slack.api.replies(thread, since).await,
        None => slack.api.recent(since).await,
    };
    let messages = channel_messages(messages)?;
    let own = own_message(&messages, &posted.delivery_id.to_string());
    Ok(own.and_then(|own| own["ts"].as_str()).map(str::to_owned))
}

/// Returns the time from which to search for a delivery of this age, in Unix seconds.
fn since(age_seconds: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the age of a row, in seconds"
    )]
    let age = age_seconds as i64;
    Utc::now().timestamp() - RECENT.max(age + 60)
}

/// Returns the messages found in the channel. If the app may not read the channel, returns none, and the message is
/// posted anyway.
fn channel_messages(
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

fn receipt(status: i32, thread: Option<&str>, message: Option<&str>) -> Receipt {
    let known = |ts: Option<&str>| ts.filter(|ts| !ts.is_empty()).map(str::to_owned);
    Receipt {
        status: Some(status),
        slack_thread: known(thread),
        message_ts: known(message),
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
