//! The API, as a client sees it.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Method, StatusCode, Url};
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
        self.call(Method::GET, path, &[], None).await
    }

    /// With these parameters, whatever characters they have.
    pub(crate) async fn get_with(&self, path: &str, query: &[(&str, &str)]) -> Result<Value> {
        self.call(Method::GET, path, query, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: String) -> Result<Value> {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    /// Do something as an operator; `path` is below `/api/v1/admin/`.
    pub(crate) async fn act(&self, path: &str, body: &Value) -> Result<Value> {
        self.post(&format!("/api/v1/admin/{path}"), body.to_string())
            .await
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<String>,
    ) -> Result<Value> {
        let mut url = Url::parse(&format!("{}{path}", self.base))
            .with_context(|| format!("`{}` is no address of an API", self.base))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, url);
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
