//! Messages of the WebSocket protocol other than events.

use axum::extract::ws::Utf8Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::live::channel::Channel;
use crate::server::clock;

/// Message of a client.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ClientMessage {
    /// Subscribes to a channel; with `last_event_id`, from that event on.
    Subscribe {
        channel: String,
        last_event_id: Option<i64>,
    },
    Unsubscribe {
        channel: String,
    },
    /// Requests the events after this one again.
    Catchup {
        channel: String,
        last_event_id: i64,
    },
    /// Requests a `pong`.
    Ping {},
    /// Response to a ping of the service.
    Pong {},
}

/// Reason why a client's message was not carried out: a code for programs and a text for people.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// Parses a client's message.
pub(crate) fn parse_message(text: &str) -> Result<ClientMessage, Complaint> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Complaint::new(
            "unknown_message",
            format!("`type` is subscribe, unsubscribe, catchup or ping, with `channel` as its kind needs: {error}"),
        ),
        _ => Complaint::new("malformed_json", format!("not JSON: {error}")),
    })
}

/// Builds the JSON text of a message to a client, and adds the time.
fn message(mut body: Value) -> Utf8Bytes {
    body["timestamp_us"] = clock::now_us().into();
    body.to_string().into()
}

pub(crate) fn connection_established(user_id: &str) -> Utf8Bytes {
    message(json!({"type": "connection_established", "user_id": user_id}))
}

pub(crate) fn error(complaint: &Complaint) -> Utf8Bytes {
    message(json!({"type": "error", "message": complaint.message, "code": complaint.code}))
}

pub(crate) fn pong() -> Utf8Bytes {
    message(json!({"type": "pong"}))
}

pub(crate) fn subscription_response(
    action: &str,
    channel: &str,
    outcome: Result<(), &str>,
    last_event_id: Option<i64>,
) -> Utf8Bytes {
    let text = match (&outcome, action) {
        (Ok(()), "subscribe") => "subscribed",
        (Ok(()), _) => "unsubscribed",
        (Err(reason), _) => reason,
    };
    let mut body = json!({
        "type": "subscription_response", "action": action, "channel": channel, "success": outcome.is_ok(),
        "message": text,
    });
    if let Some(id) = last_event_id {
        body["last_event_id"] = id.into();
    }
    message(body)
}

/// Reports events that were left out because the client read too slowly, or that are no longer stored.
pub(crate) fn missed(channel: Channel, (from, to): (i64, i64)) -> Utf8Bytes {
    message(json!({"type": "missed", "channel": channel.to_string(), "from": from, "to": to}))
}

/// Reports the end of a catch-up, or that it reached its limit. `last_event_id` is the last event
/// that it covered.
pub(crate) fn caught_up(
    channel: Channel,
    events: usize,
    last_event_id: i64,
    is_whole: bool,
) -> Utf8Bytes {
    let word = if is_whole {
        "catchup_complete"
    } else {
        "catchup_overflow"
    };
    message(json!({
        "type": word, "channel": channel.to_string(), "events": events, "last_event_id": last_event_id,
    }))
}

pub(crate) fn system_health(data: &impl serde::Serialize) -> Utf8Bytes {
    message(json!({"type": "system_health", "channel": Channel::Health.to_string(), "data": data}))
}
