//! What a caller is public_message when something is wrong: RFC 9457 problem details.
//!
//! [`Problem`] says what happened, [`Code`] is its stable name, listed in docs/ERRORS.md.
//! Status and public text are decided in this module and nowhere else; causes stay in the log.

mod auth_error;
mod code;
mod conflict_error;
mod field;
mod openapi;
mod public_message;
mod response;

use serde_json::Value;

pub use auth_error::AuthError;
pub use code::Code;
pub use conflict_error::ConflictError;
pub use field::FieldError;
pub(crate) use openapi::{add_problems, describe_problems};
pub(crate) use response::ProblemBody;

/// ReasonBody a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// No body where one is needed.
    #[error("empty body")]
    EmptyBody,
    /// The body is not JSON; the text says what the parser found.
    #[error("malformed JSON")]
    MalformedJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the parser says.
        detail: String,
    },
    /// The body is larger than this many bytes.
    #[error("body larger than {0} bytes")]
    BodyTooLarge(usize),
    /// The body is said to be something else than JSON.
    #[error("content type is not JSON")]
    UnsupportedMediaType(String),
    /// The body could not be read to its end.
    #[error("body ended early")]
    BodyInterrupted(#[source] axum::Error),
    /// The body came at less than the least rate.
    #[error("body too slow")]
    BodyTooSlow,
    /// The service was asked under a name that is not this machine's, while access control is off.
    #[error("host not allowed")]
    HostNotAllowed,
    /// Fields that are missing or not as they should be; every one of them.
    #[error("invalid alert")]
    InvalidAlert(Vec<FieldError>),
    /// No chain answers this alert type.
    #[error("unknown alert type")]
    UnknownAlertType {
        /// What was asked for.
        alert_type: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A header or query parameter that can't be understood.
    #[error("invalid parameter")]
    InvalidParameter(FieldError),
    /// A body whose members are missing or not as they should be.
    #[error("invalid request")]
    InvalidRequest(Vec<FieldError>),
    /// An operator's wish that the state of things does not allow.
    #[error("refused")]
    Conflict(#[source] ConflictError),
    /// The idempotency key was used before, for a different alert.
    #[error("idempotency key reused")]
    IdempotencyKeyReused,
    /// None of a webhook's alerts could be mapped; the outcome of each.
    #[error("no alert of the webhook could be used")]
    UnmappableWebhook(Value),
    /// No webhook source of this name is configured.
    #[error("unknown webhook source")]
    UnknownWebhookSource {
        /// What was asked for.
        source_name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A webhook whose signature is missing, wrong or too old; the text says which.
    #[error("webhook signature not valid")]
    SignatureNotValid(&'static str),
    /// Somebody who is not let in.
    #[error("not let in")]
    Auth(#[from] AuthError),
    /// A live API key has this name.
    #[error("key name taken")]
    KeyNameTaken,
    /// As many live API keys as there may be.
    #[error("too many keys")]
    TooManyKeys(usize),
    /// The path wants a WebSocket.
    #[error("not a WebSocket upgrade")]
    NotAWebSocket,
    /// The ticket never was, was used before or is too old.
    #[error("ticket not valid")]
    TicketNotValid,
    /// A web page that is not ours wants to open a socket.
    #[error("origin not allowed")]
    OriginNotAllowed,
    /// The certificate of Amazon SNS can't be had, or a subscription not be confirmed.
    #[error("SNS can't be asked")]
    SnsAway,
    /// As many sockets as this process serves.
    #[error("too many sockets")]
    TooManySockets,
    /// As many sockets as one key or person may have.
    #[error("too many sockets of one caller")]
    TooManySocketsOfOne(usize),
    /// As many runbook checks of one caller wait as may.
    #[error("too many runbook checks")]
    TooManyChecks,
    /// No alert has this id.
    #[error("unknown alert")]
    AlertNotFound,
    /// No session has this id.
    #[error("unknown session")]
    SessionNotFound,
    /// No such path.
    #[error("unknown path")]
    NotFound,
    /// The path is there, the method is not.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// `HISTORY_ENABLED=false`.
    #[error("history is off")]
    HistoryDisabled,
    /// No LLM provider is configured, so that no alert could be answered.
    #[error("no LLM provider")]
    NoLlmProvider,
    /// Too many sessions wait.
    #[error("backlog limit reached")]
    Overloaded {
        /// Sessions that may wait.
        limit: u64,
    },
    /// The database can't be reached at the moment. Whether a statement took effect may be
    /// unknown; repeating the request is safe.
    #[error("the database is away")]
    DatabaseAway,
    /// A fault of ours.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<tarsy_store::Error> for Problem {
    fn from(error: tarsy_store::Error) -> Self {
        if error.is_transient() {
            tracing::warn!(?error, "the database is away");
            Self::DatabaseAway
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
