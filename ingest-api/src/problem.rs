//! Error responses: RFC 9457 problem details.
//!
//! [`Problem`] describes what happened. [`Code`] is its stable name, listed in docs/ERRORS.md. Only
//! this module decides the status and the public text. Causes are only logged.

mod auth_error;
mod code;
mod conflict_error;
#[cfg(test)]
mod openapi;
mod public_message;
mod response;

use serde_json::Value;

pub use auth_error::AuthError;
pub use code::Code;
pub use conflict_error::ConflictError;
#[cfg(test)]
pub(crate) use openapi::{ProblemBody, add_problems, describe_problems};
pub(crate) use tarsy_intake::FieldError;

/// Reason why a request failed.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The body is missing.
    #[error("empty body")]
    EmptyBody,
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
    /// The body is larger than this many bytes.
    #[error("body larger than {0} bytes")]
    BodyTooLarge(usize),
    /// Too many large bodies are being read.
    #[error("too many large bodies")]
    TooManyLargeBodies,
    /// The content encoding is not gzip.
    #[error("content encoding is not gzip")]
    UnsupportedEncoding(String),
    /// The content type is not JSON.
    #[error("content type is not JSON")]
    UnsupportedMediaType(String),
    /// The connection broke before the end of the body.
    #[error("body ended early")]
    BodyInterrupted(#[source] axum::Error),
    /// The body arrived below the minimum rate.
    #[error("body too slow")]
    BodyTooSlow,
    /// The host name is not this machine's while access control is off.
    #[error("host not allowed")]
    HostNotAllowed,
    /// An alert is not accepted.
    #[error(transparent)]
    Intake(#[from] tarsy_intake::Error),
    /// Invalid header or query parameter.
    #[error("invalid parameter")]
    InvalidParameter(FieldError),
    /// Missing or invalid fields of a body.
    #[error("invalid request")]
    InvalidRequest(Vec<FieldError>),
    /// The current state does not allow the action.
    #[error("conflict")]
    Conflict(#[source] ConflictError),
    /// No alert of the webhook could be mapped; holds the outcome of each.
    #[error("no alert of the webhook could be used")]
    UnmappableWebhook(Value),
    /// No webhook source of this name is configured.
    #[error("unknown webhook source")]
    UnknownWebhookSource {
        /// The requested name.
        source_name: String,
        known: Vec<String>,
    },
    /// Failed authentication or authorization.
    #[error("access denied")]
    Auth(#[from] AuthError),
    /// An active API key has this name.
    #[error("key name taken")]
    KeyNameTaken,
    /// The limit of active API keys is reached.
    #[error("too many keys")]
    TooManyKeys(usize),
    /// The path requires a WebSocket upgrade.
    #[error("not a WebSocket upgrade")]
    NotAWebSocket,
    /// The ticket is unknown, used or expired.
    #[error("ticket not valid")]
    TicketNotValid,
    /// A request with a cookie lacks the header against forged requests.
    #[error("csrf header missing")]
    CsrfHeaderMissing,
    /// The web page's origin is not allowed.
    #[error("origin not allowed")]
    OriginNotAllowed,
    /// The WebSocket limit of this process is reached.
    #[error("too many WebSockets")]
    TooManySockets,
    /// The WebSocket limit of the caller is reached.
    #[error("too many WebSockets of one caller")]
    TooManySocketsOfOne(usize),
    /// The limit of concurrent runbook checks of the caller is reached.
    #[error("too many runbook checks")]
    TooManyChecks,
    /// No alert has this id.
    #[error("unknown alert")]
    AlertNotFound,
    /// No session has this id.
    #[error("unknown session")]
    SessionNotFound,
    /// No incident has this id, or the session was never in one.
    #[error("unknown incident")]
    IncidentNotFound,
    /// No such path.
    #[error("unknown path")]
    NotFound,
    /// The path does not support the method.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// `HISTORY_ENABLED=false`.
    #[error("history is disabled")]
    HistoryDisabled,
    /// The configuration has no section `knowledge`.
    #[error("no knowledge store is configured")]
    KnowledgeDisabled,
    /// The database is unavailable. Whether a statement took effect may be unknown; retrying is
    /// safe.
    #[error("the database is unavailable")]
    DatabaseAway,
    /// Internal error.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<tarsy_store::Error> for Problem {
    fn from(error: tarsy_store::Error) -> Self {
        if error.is_transient() {
            tracing::warn!(?error, "database unavailable");
            Self::DatabaseAway
        } else if error.is_bad_text() {
            // Handlers that check for U+0000 themselves name the field. This covers those that don't.
            let detail = "must not contain U+0000";
            Self::InvalidRequest(vec![FieldError::new("body", detail)])
        } else {
            Self::Internal(error.into())
        }
    }
}

impl From<tarsy_queue::Error> for Problem {
    fn from(error: tarsy_queue::Error) -> Self {
        match error {
            tarsy_queue::Error::Database(error) => error.into(),
            tarsy_queue::Error::NoSuchDeadJob(_) => ConflictError::DeadJobNotFound.into(),
            tarsy_queue::Error::KeyTaken(_) => ConflictError::JobKeyTaken.into(),
            other => Self::Internal(other.into()),
        }
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        tarsy_store::Error::from(error).into()
    }
}
