//! Errors of model calls, by class.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tarsy_model::words;

/// Class of a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Too many requests or tokens in a period; waiting helps.
    RateLimited,
    /// The provider is busy (503, 529), or names a time to come back at; waiting helps.
    Overloaded,
    /// The provider fails (500, 502, 504, 520 to 524). A retry may succeed.
    ServerError,
    /// The key or the account is refused (401, 403, no credit); only an operator can help.
    Auth,
    /// The conversation does not fit in the model's window.
    ContextLength,
    /// The provider's content filter, or the model itself, refuses to answer.
    Refused,
    /// A well-formed answer without text and tool calls.
    Empty,
    /// An answer that is not in the provider's format: HTML, broken or truncated JSON, or too large.
    Malformed,
    /// No answer in the time that the call may take.
    Timeout,
    /// The provider cannot be reached, or the connection broke.
    Connection,
    /// The provider does not accept the request as it is (unknown model, bad parameter).
    InvalidRequest,
    /// There is no API key, or no script to play. No call was made.
    NotConfigured,
}

words!(ErrorClass {
    RateLimited => "rate_limited",
    Overloaded => "overloaded",
    ServerError => "server_error",
    Auth => "auth",
    ContextLength => "context_length",
    Refused => "refused",
    Empty => "empty",
    Malformed => "malformed",
    Timeout => "timeout",
    Connection => "connection",
    InvalidRequest => "invalid_request",
    NotConfigured => "not_configured",
});

/// A model call that failed.
#[derive(Debug, thiserror::Error)]
#[error("{class}: {message}")]
pub struct CallError {
    /// Class of the error. The retry policy decides by it.
    pub class: ErrorClass,
    /// Message for people: at most 500 characters, on one line, without keys.
    pub message: String,
    /// How long the provider asks to wait; at most 24 hours.
    pub retry_after: Option<Duration>,
    /// Error of the HTTP client, if there was one; without the URL.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl CallError {
    /// Creates an error without a source and without a wait.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            retry_after: None,
            source: None,
        }
    }

    /// Sets the wait that the provider asks for.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.retry_after = retry_after;
        self
    }
}
