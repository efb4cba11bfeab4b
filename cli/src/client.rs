//! HTTP client of the API.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Method, StatusCode, Upgraded, Url};
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::server::Server;

#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// Error response of the API: problem details (RFC 9457).
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |key: &str| self.body.get(key).and_then(Value::as_str);
        let what = text("detail")
            .or_else(|| text("title"))
            .unwrap_or("no reason given");
        write!(f, "the API answered: {what} (HTTP {}", self.status.as_u16())?;
        if let Some(code) = text("code") {
            write!(f, ", {code}")?;
        }
        f.write_str(")")?;
        for error in self
            .body
            .get("errors")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let part = |key: &str| error.get(key).and_then(Value::as_str);
            match (part("field"), part("detail")) {
                (Some(field), Some(detail)) => write!(f, "\n  {field}: {detail}")?,
                _ => write!(f, "\n  {error}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// Creates a client of the API at this address. An API on this machine is called without a proxy.
fn builder(api: &str) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder().connect_timeout(Duration::from_secs(5));
    match tarsy_egress::is_loopback(api) {
        true => builder.no_proxy(),
        false => builder,
    }
}

impl Client {
    pub(crate) fn new(server: &Server) -> Result<Self> {
        tarsy_telemetry::install_crypto();
        let http = builder(&server.url)
            .timeout(Duration::from_secs(60))
            .build()
            .context("failed to set up the HTTP client")?;
        Ok(Self {
            http,
            base: server.url.trim_end_matches('/').to_owned(),
            key: server.key().map(str::to_owned),
        })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, &[], None).await
    }

    /// Sends a GET request with query parameters, which are encoded.
    pub(crate) async fn get_with(&self, path: &str, query: &[(&str, &str)]) -> Result<Value> {
        self.call(Method::GET, path, query, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: String) -> Result<Value> {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    /// Posts a request that is safe to repeat under its idempotency key.
    pub(crate) async fn post_once(&self, path: &str, body: String, key: &str) -> Result<Value> {
        let text = self
            .text(Method::POST, path, &[], Some(body), Some(key))
            .await?;
        Ok(json_or_text(text))
    }

    /// Posts an operator's action; `path` is below `/api/v1/admin/`.
    pub(crate) async fn act(&self, path: &str, body: &Value) -> Result<Value> {
        self.post(&format!("/api/v1/admin/{path}"), body.to_string())
            .await
    }

    /// Reads the first `limit` members of the list `name`, page by page, as one response.
    pub(crate) async fn listed(
        &self,
        path: &str,
        query: &[(&str, &str)],
        name: &str,
        limit: usize,
    ) -> Result<Value> {
        let mut members = Vec::new();
        let mut before: Option<String> = None;
        loop {
            let left = (limit.saturating_sub(members.len()))
                .clamp(1, 200)
                .to_string();
            let mut parameters = query.to_vec();
            parameters.push(("limit", &left));
            parameters.extend(before.as_deref().map(|before| ("before", before)));
            let mut answer = self.get_with(path, &parameters).await?;
            if let Some(page) = answer.get_mut(name).and_then(Value::as_array_mut) {
                members.append(page);
            }
            before = match answer.get("next") {
                Some(Value::String(next)) => Some(next.clone()),
                Some(Value::Number(next)) => Some(next.to_string()),
                _ => None,
            };
            if before.is_none() || members.len() >= limit {
                answer[name] = members.into();
                return Ok(answer);
            }
        }
    }

    /// Opens a socket of live events.
    pub(crate) async fn live(&self) -> Result<WebSocketStream<Upgraded>> {
        let ticket = self.post("/api/v1/ws-tickets", String::new()).await?;
        let ticket = ticket
            .get("ticket")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let url = format!("{}/ws/dashboard/cli?ticket={ticket}", self.base);
        // The socket lives longer than the timeout of responses, and HTTP/2 has no upgrade.
        let http = builder(&self.base).http1_only().build()?;
        let request = http
            .get(url)
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", generate_key());
        let response = request.send().await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            bail!(
                "the API opens no socket (HTTP {})",
                response.status().as_u16()
            );
        }
        let stream = response.upgrade().await?;
        Ok(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<String>,
    ) -> Result<Value> {
        let text = self.text(method, path, query, body, None).await?;
        Ok(json_or_text(text))
    }

    /// Returns the response body as text.
    pub(crate) async fn file(&self, path: &str, query: &[(&str, &str)]) -> Result<String> {
        self.text(Method::GET, path, query, None, None).await
    }

    async fn text(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<String>,
        idempotency_key: Option<&str>,
    ) -> Result<String> {
        let mut url = Url::parse(&format!("{}{path}", self.base))
            .with_context(|| format!("`{}` is not a valid API address", self.base))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, url);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(key) = idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body);
        }
        let answer = request.send().await.with_context(|| {
            format!("no response from the API at {}: is it running (`tarsy up`)? Set --url or TARSY_URL for another address", self.base)
        })?;
        let status = answer.status();
        let text = answer.text().await.context("failed to read the response")?;
        if !status.is_success() {
            let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
            bail!(Refused { status, body });
        }
        Ok(text)
    }
}

/// Returns a response body as JSON, or as a text if it is not JSON.
fn json_or_text(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
