//! A fake Slack: a server with the wire format of its Web API and one channel. It signs requests as Slack does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing};
use ring::hmac;
use serde_json::{Value, json};
use url::form_urlencoded;

/// The only channel.
pub const CHANNEL: &str = "C024BE91L";
/// The bot token that it accepts.
pub const TOKEN: &str = "xoxb-fake";
/// User id of the app.
pub const BOT: &str = "U0TARSY";
/// Secret with which it signs.
pub const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

/// A fake Slack. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FakeSlack {
    /// URL of its Web API.
    pub url: String,
    room: Arc<Mutex<Room>>,
}

#[derive(Debug, Default)]
struct Room {
    messages: Vec<Value>,
    /// Posted messages before later updates.
    posted: Vec<Value>,
    whispers: Vec<Value>,
    updates: usize,
    /// Number of further posts that it refuses with a 429.
    refusals: usize,
}

impl FakeSlack {
    /// Starts a server that refuses this many posts before it accepts one.
    ///
    /// # Panics
    ///
    /// When it can't listen.
    pub async fn start(refusals: usize) -> Self {
        let room = Room {
            refusals,
            ..Room::default()
        };
        let room = Arc::new(Mutex::new(room));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/api/{method}", routing::post(answer))
            .with_state(Arc::clone(&room));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, room }
    }

    fn room<T>(&self, access: impl FnOnce(&mut Room) -> T) -> T {
        access(&mut self.room.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Posts a message as another app or user. Returns the message's `ts`.
    #[must_use]
    pub fn post_as_other(&self, mut message: Value) -> String {
        self.room(|room| {
            let ts = room.next_ts();
            message["ts"] = json!(ts);
            room.messages.push(message);
            ts
        })
    }

    /// Returns every message of the channel and its threads in its current form, oldest first.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        self.room(|room| room.messages.clone())
    }

    /// Returns the ephemeral messages, which only one user sees.
    #[must_use]
    pub fn whispers(&self) -> Vec<Value> {
        self.room(|room| room.whispers.clone())
    }

    /// Returns the messages posted by the tested app, before later updates.
    #[must_use]
    pub fn posted(&self) -> Vec<Value> {
        self.room(|room| room.posted.clone())
    }

    /// Returns the number of message updates.
    #[must_use]
    pub fn updates(&self) -> usize {
        self.room(|room| room.updates)
    }

    /// Returns the form that Slack posts when `user` presses the button `action` of `message`.
    #[must_use]
    pub fn press(&self, message: &Value, user: &str, action: &str) -> String {
        let blocks = message["blocks"].as_array().unwrap().iter();
        let mut buttons = blocks.flat_map(|block| {
            let elements = block["elements"].as_array().cloned().unwrap_or_default();
            elements
                .into_iter()
                .map(|element| (block["block_id"].clone(), element))
        });
        let (block, button) = buttons
            .find(|(_, button)| button["action_id"] == action)
            .unwrap();
        let payload = json!({
            "type": "block_actions",
            "user": {"id": user, "username": "somebody", "team_id": "T1"},
            "api_app_id": "A1",
            "team": {"id": "T1", "domain": "example"},
            "channel": {"id": CHANNEL},
            "container": {"type": "message", "message_ts": message["ts"], "channel_id": CHANNEL,
                          "thread_ts": message["thread_ts"]},
            "message": message,
            "response_url": "https://hooks.slack.com/actions/T1/1/x",
            "actions": [{"type": "button", "action_id": action, "block_id": block, "value": button["value"]}],
        });
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("payload", &payload.to_string());
        form.finish()
    }
    /// Returns the JSON that Slack posts when `user` mentions the app in a thread, or in the channel itself.
    #[must_use]
    pub fn mention(&self, event: &str, user: &str, thread: Option<&str>, text: &str) -> Value {
        let text = format!("<@{BOT}> {text}");
        let mut mention =
            json!({"type": "app_mention", "user": user, "text": text, "channel": CHANNEL});
        if let Some(thread) = thread {
            mention["thread_ts"] = json!(thread);
        }
        let mut kept = mention.clone();
        kept["type"] = json!("message");
        mention["ts"] = json!(self.post_as_other(kept));
        json!({
            "token": "unused", "team_id": "T1", "api_app_id": "A1", "type": "event_callback",
            "event_id": event, "event_time": 1, "event": mention,
            "authorizations": [{"team_id": "T1", "user_id": BOT, "is_bot": true}],
        })
    }
}

/// Returns the headers of a request with `body` that Slack signed `age` seconds ago with this secret.
///
/// # Panics
///
/// When the clock is before 1970.
#[must_use]
pub fn slack_headers(secret: &str, age: u64, body: &str) -> [(&'static str, String); 3] {
    let content_type = match body.starts_with('{') {
        true => "application/json",
        false => "application/x-www-form-urlencoded",
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let time = (now.as_secs() - age).to_string();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mac = hmac::sign(&key, format!("v0:{time}:{body}").as_bytes());
    let hex: String = mac
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    [
        ("content-type", content_type.to_owned()),
        ("x-slack-request-timestamp", time),
        ("x-slack-signature", format!("v0={hex}")),
    ]
}

impl Room {
    /// Returns the id of the next message in Slack's form: seconds of the clock and a counter.
    fn next_ts(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        format!("{}.{:06}", now.as_secs(), self.messages.len())
    }

    fn call(&mut self, method: &str, mut body: Value) -> Response {
        // The app may be in other channels too, but it reads and posts only in this one.
        if body["channel"] != CHANNEL && method != "chat.postEphemeral" {
            return refused("channel_not_found");
        }
        match method {
            "chat.postMessage" if self.refusals > 0 => {
                self.refusals -= 1;
                let limited = Json(json!({"ok": false, "error": "ratelimited"}));
                (
                    StatusCode::TOO_MANY_REQUESTS,
                    [(header::RETRY_AFTER, "1")],
                    limited,
                )
                    .into_response()
            }
            "chat.postMessage" => {
                let ts = self.next_ts();
                body["ts"] = json!(ts);
                self.posted.push(body.clone());
                let mut message = body.clone();
                message["bot_id"] = json!("B1");
                self.messages.push(message);
                Json(json!({"ok": true, "channel": CHANNEL, "ts": ts, "message": body}))
                    .into_response()
            }
            "chat.update" => {
                let found = self
                    .messages
                    .iter_mut()
                    .find(|message| message["ts"] == body["ts"]);
                let Some(message) = found else {
                    return refused("message_not_found");
                };
                message["text"] = body["text"].take();
                message["blocks"] = body["blocks"].take();
                self.updates += 1;
                Json(json!({"ok": true, "channel": CHANNEL, "ts": message["ts"]})).into_response()
            }
            "chat.postEphemeral" => {
                self.whispers.push(body);
                Json(json!({"ok": true, "message_ts": "1.1"})).into_response()
            }
            "conversations.history" => {
                let roots = self.messages.iter().filter(|m| m["thread_ts"].is_null());
                let newest_first: Vec<&Value> = roots.rev().collect();
                Json(json!({"ok": true, "messages": newest_first, "has_more": false}))
                    .into_response()
            }
            "conversations.replies" => {
                let of_thread = self
                    .messages
                    .iter()
                    .filter(|m| m["ts"] == body["ts"] || m["thread_ts"] == body["ts"]);
                let messages: Vec<&Value> = of_thread.collect();
                Json(json!({"ok": true, "messages": messages, "has_more": false})).into_response()
            }
            _ => refused("unknown_method"),
        }
    }
}

fn refused(error: &str) -> Response {
    Json(json!({"ok": false, "error": error})).into_response()
}

async fn answer(
    State(room): State<Arc<Mutex<Room>>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let header = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    if header(header::AUTHORIZATION) != format!("Bearer {TOKEN}") {
        return refused("invalid_auth");
    }
    // Like Slack, accepts only JSON for writes and only forms for reads.
    let is_form = header(header::CONTENT_TYPE) == "application/x-www-form-urlencoded";
    let body = match (method.starts_with("conversations."), is_form) {
        (true, true) => {
            let fields: HashMap<String, String> = form_urlencoded::parse(body.as_bytes())
                .into_owned()
                .collect();
            json!(fields)
        }
        (false, false) => serde_json::from_str(&body).unwrap_or_default(),
        _ => return refused("invalid_form_data"),
    };
    let mut room = room.lock().unwrap_or_else(PoisonError::into_inner);
    room.call(&method, body)
}
