//! The API, as a client sees it.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::arguments::Server;

/// Calls the API.
pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// An answer that is no success, as problem details (RFC 9457).
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
        write!(f, "the API refused: {what} (HTTP {}", self.status.as_u16())?;
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
            write!(f, "\n  {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

impl Client {
    pub(crate) fn new(server: &Server) -> Result<Self> {
        tarsy_telemetry::install_crypto();
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(60))
            .build()
            .context("the HTTP client can't be set up")?;
        Ok(Self {
            http,
            base: server.url.trim_end_matches('/').to_owned(),
            key: server.key.clone(),
        })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: String) -> Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    async fn call(&self, method: Method, path: &str, body: Option<String>) -> Result<Value> {
        let mut request = self.http.request(method, format!("{}{path}", self.base));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body);
        }
        let answer = request.send().await.with_context(|| {
            format!("no API answers at {}: is the fleet up (`tarsy up`)? --url or TARSY_URL names another", self.base)
        })?;
        let status = answer.status();
        let text = answer
            .text()
            .await
            .context("the answer could not be read")?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if !status.is_success() {
            bail!(Refused { status, body });
        }
        Ok(body)
    }
}
