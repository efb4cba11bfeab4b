//! Calls of Slack's Web API.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tarsy_config::{NotificationConfig, Secret};
use tarsy_egress::{Access, Client, parse_url, retry_after, secret_header};
use url::{Url, form_urlencoded};

/// Largest response in bytes: a page of a channel.
const LARGEST: usize = 4 * 1024 * 1024;
/// Messages per page.
const PAGE: &str = "100";

/// A Slack app and its channel. Cheap to clone.
#[derive(Clone)]
pub struct Slack {
    client: Client,
    base: Url,
    token: Secret,
    channel: Arc<str>,
}

impl fmt::Debug for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let channel = &self.channel;
        f.debug_struct("Slack")
            .field("channel", channel)
            .finish_non_exhaustive()
    }
}

/// A message that Slack accepted.
#[derive(Clone, Debug)]
pub struct Posted {
    /// HTTP status.
    pub status: i32,
    /// Identifies the message in its channel.
    pub ts: String,
}

/// Recipient of an ephemeral message, which only one user sees.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a> {
    /// Id of the channel; `None`: the app's channel.
    pub channel: Option<&'a str>,
    /// Id of the user.
    pub user: &'a str,
    /// The thread to post in; `None`: the channel itself.
    pub thread: Option<&'a str>,
}

/// Failure of a call.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// HTTP status, if there was a response.
    pub status: Option<i32>,
    /// Description of the failure. Of Slack's response it contains only the error code.
    pub error: String,
    /// Slack's error code, e.g. `message_not_found`.
    pub code: Option<String>,
    /// Time after which Slack allows the next call.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    fn unanswered(error: impl fmt::Display) -> Self {
        Self {
            status: None,
            error: error.to_string(),
            code: None,
            retry_after: None,
        }
    }

    /// Whether Slack responded and refused the call for a reason other than its rate limit.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        self.status.is_some() && self.retry_after.is_none()
    }
}

impl Slack {
    /// Creates the app of a notification target. Returns `None` unless its format is `slack-app` and its token is set.
    /// A call takes at most `patience`. The process must have installed its TLS provider.
    ///
    /// # Errors
    ///
    /// If the address is invalid, or TLS can't be set up.
    pub fn from_target(
        target: &NotificationConfig,
        patience: Duration,
    ) -> Result<Option<Self>, tarsy_egress::Error> {
        let app = target.slack_app.as_ref();
        let (Some(app), Some(url)) = (app, &target.url) else {
            return Ok(None);
        };
        let Some(token) = &app.bot_token else {
            return Ok(None);
        };
        let base = parse_url(url.expose())?;
        let access = Access {
            private: target.private,
            http: target.http,
        };
        Ok(Some(Self {
            client: Client::to_host_of(&base, access, patience, LARGEST)?,
            base,
            token: token.clone(),
            channel: Arc::from(app.channel.as_str()),
        }))
    }

    /// Posts a message to the channel.
    ///
    /// # Errors
    ///
    /// The reason why Slack did not accept it.
    pub async fn post(&self, mut message: Value) -> Result<Posted, Refusal> {
        message["channel"] = json!(&*self.channel);
        let (status, answer) = self.call("chat.postMessage", &message).await?;
        let ts = answer["ts"].as_str().unwrap_or_default().to_owned();
        Ok(Posted { status, ts })
    }

    /// Replaces the message `ts` of the channel. Returns the HTTP status.
    ///
    /// # Errors
    ///
    /// The reason why Slack did not accept it.
    pub async fn update(&self, ts: &str, mut message: Value) -> Result<i32, Refusal> {
        message["channel"] = json!(&*self.channel);
        message["ts"] = json!(ts);
        let (status, _) = self.call("chat.update", &message).await?;
        Ok(status)
    }

    /// Returns the id of the app's channel.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// Posts a text that only one user sees.
    ///
    /// # Errors
    ///
    /// The reason why Slack did not accept it.
    pub async fn whisper(&self, to: Listener<'_>, text: &str) -> Result<(), Refusal> {
        let channel = to.channel.unwrap_or(&self.channel);
        let mut message = json!({"channel": channel, "user": to.user, "text": text});
        if let Some(thread) = to.thread {
            message["thread_ts"] = json!(thread);
        }
        self.call("chat.postEphemeral", &message).await.map(drop)
    }

    /// Returns the newest messages of the channel since `oldest` (Unix seconds), newest first, up to one page.
    ///
    /// # Errors
    ///
    /// The reason why Slack did not return them, e.g. a missing scope.
    pub async fn recent(&self, oldest: i64) -> Result<Vec<Value>, Refusal> {
        self.read("conversations.history", oldest, None).await
    }

    /// Returns the messages of a thread since `oldest` (Unix seconds), up to one page.
    ///
    /// # Errors
    ///
    /// The reason why Slack did not return them, e.g. a missing scope.
    pub async fn replies(&self, thread: &str, oldest: i64) -> Result<Vec<Value>, Refusal> {
        self.read("conversations.replies", oldest, Some(thread))
            .await
    }

    async fn read(
        &self,
        method: &str,
        oldest: i64,
        thread: Option<&str>,
    ) -> Result<Vec<Value>, Refusal> {
        const FORM: &str = "application/x-www-form-urlencoded";
        let (_, mut answer) = self.send(method, FORM, self.page(oldest, thread)).await?;
        match answer["messages"].take() {
            Value::Array(messages) => Ok(messages),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the form data of a request for a page.
    fn page(&self, oldest: i64, thread: Option<&str>) -> String {
        form_urlencoded::Serializer::new(String::new())
            .append_pair("channel", &self.channel)
            .append_pair("oldest", &oldest.to_string())
            .append_pair("limit", PAGE)
            .append_pair("include_all_metadata", "true")
            .extend_pairs(thread.map(|ts| ("ts", ts)))
            .finish()
    }

    async fn call(&self, method: &str, body: &Value) -> Result<(i32, Value), Refusal> {
        const JSON: &str = "application/json; charset=utf-8";
        self.send(method, JSON, body.to_string()).await
    }

    async fn send(
        &self,
        method: &str,
        content_type: &'static str,
        body: String,
    ) -> Result<(i32, Value), Refusal> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(method);
        }
        let bearer = format!("Bearer {}", self.token.expose());
        let bearer = secret_header(&bearer)
            .map_err(|_| Refusal::unanswered("the bot token is not a token"))?;
        let headers = HeaderMap::from_iter([
            (AUTHORIZATION, bearer),
            (CONTENT_TYPE, HeaderValue::from_static(content_type)),
        ]);
        let sent = self.client.post(url, headers, body).await;
        let answer = sent.map_err(Refusal::unanswered)?;
        let status = i32::from(answer.status.as_u16());
        let refused = |word: Option<&str>| {
            let is_limited = matches!(
                answer.status,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
            );
            Refusal {
                status: Some(status),
                error: match word {
                    Some(word) => format!("{method} answered {status}: {word}"),
                    None => format!("{method} answered {status}"),
                },
                code: word.map(str::to_owned),
                retry_after: retry_after(&answer.headers).filter(|_| is_limited),
            }
        };
        if !answer.status.is_success() {
            return Err(refused(None));
        }
        let read: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match read["ok"].as_bool() {
            Some(true) => Ok((status, read)),
            _ => Err(refused(read["error"].as_str().filter(|word| is_code(word)))),
        }
    }
}

/// Whether `word` looks like one of Slack's error codes. Other texts are not included in messages.
fn is_code(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    (1..=60).contains(&word.len()) && word.bytes().all(is_letter)
}
