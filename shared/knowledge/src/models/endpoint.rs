//! Client of one configured HTTP endpoint. It calls only that host, and limits time and size of responses.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_egress::{Access, Client, parse_url, secret_header};

use crate::error::{Error, Result};

/// Largest response, in bytes: 64 vectors of 4,096 numbers.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Endpoint that serves a model.
#[derive(Clone, Default)]
pub struct EndpointConfig {
    /// The complete URL, e.g. `http://127.0.0.1:8080/v1/rerank`.
    pub url: String,
    /// Name of the model.
    pub model: String,
    /// Sent as `Authorization: Bearer`.
    pub key: Option<String>,
}

impl fmt::Debug for EndpointConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointConfig")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Reason why an endpoint gave no usable response. The messages contain nothing that was sent or received.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It was not reached, or its response was too large or too late.
    #[error(transparent)]
    Http(#[from] tarsy_egress::Error),
    /// It responded with an error status.
    #[error("the endpoint answered {0}")]
    Status(u16),
    /// Its response does not conform to the API.
    #[error("the endpoint's answer is invalid: {0}")]
    Answer(&'static str),
    /// It failed a short time ago and is not called again yet.
    #[error("the endpoint failed a moment ago")]
    Paused,
    /// Computing with the local model was interrupted: the process is ending, or the computation panicked.
    #[error("computing vectors was interrupted")]
    Interrupted,
}

impl EndpointError {
    /// Whether the same request may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Http(error) => matches!(
                error,
                tarsy_egress::Error::Timeout(_) | tarsy_egress::Error::Unreachable { .. }
            ),
            Self::Status(status) => matches!(*status, 408 | 429 | 500..=599),
            Self::Answer(_) | Self::Paused | Self::Interrupted => false,
        }
    }
}

/// A guarded client of one URL.
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    pub(super) model: String,
    key: Option<HeaderValue>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Creates the client. `what` names the setting in errors.
    pub(super) fn new(what: &str, config: &EndpointConfig, patience: Duration) -> Result<Self> {
        let wrong = |error: tarsy_egress::Error| Error::invalid(what, error.to_string());
        let url = parse_url(&config.url).map_err(wrong)?;
        let host = url.host_str().unwrap_or_default();
        let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        if url.scheme() == "http" && config.key.is_some() && !is_local {
            return Err(Error::invalid(what, "a key is only sent over https"));
        }
        // The operator chose the host, so it may be in a private network.
        let access = Access {
            private: true,
            http: true,
        };
        let key = config.key.as_ref();
        let key = key
            .map(|key| secret_header(&format!("Bearer {key}")))
            .transpose();
        let client = Client::to_host_of(&url, access, patience, MAX_BYTES).map_err(wrong)?;
        Ok(Self {
            client,
            url,
            model: config.model.clone(),
            key: key.map_err(|_| {
                Error::invalid(what, "the key has characters that no header can have")
            })?,
        })
    }

    pub(super) async fn post<T: DeserializeOwned>(&self, body: &Value) -> Result<T, EndpointError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        let response = self
            .client
            .post(self.url.clone(), headers, body.to_string())
            .await?;
        if !response.status.is_success() {
            return Err(EndpointError::Status(response.status.as_u16()));
        }
        serde_json::from_slice(&response.body)
            .map_err(|_| EndpointError::Answer("not the expected JSON"))
    }
}

/// Returns at most `bytes` bytes of a text, cut between characters.
pub(super) fn shortened(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}
