//! Errors of accepting alerts.

use serde::Serialize;
use serde_json::error::Category;

/// Reason why an alert is not accepted. `ingest-api` decides the public text.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not JSON.
    #[error("malformed JSON")]
    MalformedJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// Message of the parser.
        detail: String,
    },
    /// Missing or invalid fields of an alert.
    #[error("invalid alert")]
    InvalidAlert(Vec<FieldError>),
    /// No chain handles this alert type.
    #[error("unknown alert type")]
    UnknownAlertType {
        /// The requested name.
        alert_type: String,
        known: Vec<String>,
    },
    /// The idempotency key was used for a different alert.
    #[error("idempotency key reused")]
    IdempotencyKeyReused,
    /// Missing, wrong or expired webhook signature.
    #[error("webhook signature not valid")]
    SignatureNotValid(&'static str),
    /// Fetching the certificate of Amazon SNS or confirming a subscription failed.
    #[error("Amazon SNS is unavailable")]
    SnsAway,
    /// No LLM provider is available, so no alert can be analysed.
    #[error("no LLM provider")]
    NoLlmProvider,
    /// Too many sessions are pending.
    #[error("backlog limit reached")]
    Overloaded { limit: u64 },
    /// The database is unavailable. Whether the alert was accepted may be unknown; retrying is safe.
    #[error("the database is unavailable")]
    DatabaseAway,
    /// Internal error.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Creates the error of an invalid field of an alert.
    pub(crate) fn field(field: impl Into<String>, detail: impl Into<String>) -> Self {
        FieldError::new(field, detail).into()
    }

    /// Creates the error of a body that is not a JSON object.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        match error.classify() {
            Category::Data => Self::field("", "the body must be a JSON object"),
            _ => Self::MalformedJson {
                line: error.line(),
                column: error.column(),
                detail: error.to_string(),
            },
        }
    }
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        Self::InvalidAlert(vec![error])
    }
}

/// An invalid field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// Path of the field, e.g. `severity` or `data.labels.hosts[3]`.
    #[schema(example = "data.labels.hosts[3]")]
    pub field: String,
    /// Why the field is invalid.
    pub detail: String,
}

impl FieldError {
    /// Creates the error of a field.
    pub fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }
}
