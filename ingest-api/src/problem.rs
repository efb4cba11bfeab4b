//! What a caller is told when something is wrong: RFC 9457 problem details.
//!
//! [`Problem`] says what happened, [`Code`] is its stable name, listed in docs/ERRORS.md.
//! Status and public text are decided here and nowhere else; causes stay in the log.

mod code;
mod denied;
mod refused;

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use code::Code;
pub use denied::Denied;
pub use refused::Refused;

/// Seconds after which a refused caller should try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

/// How to show who asks.
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"tarsy\"");

/// One field that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// The field, e.g. `severity` or `data.labels.hosts[3]`.
    #[schema(example = "data.labels.hosts[3]")]
    pub field: String,
    /// What is wrong with it.
    pub detail: String,
}

impl FieldError {
    /// An error of a field.
    pub fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }
}

/// Why a request was not carried out.
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
    Refused(#[source] Refused),
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
    Denied(#[from] Denied),
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
            tarsy_queue::Error::NoSuchDeadJob(_) => Refused::DeadJobNotFound.into(),
            tarsy_queue::Error::KeyTaken(_) => Refused::JobKeyTaken.into(),
            other => Self::Internal(other.into()),
        }
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        tarsy_store::Error::from(error).into()
    }
}

/// What leaves the process about a problem.
struct Told {
    code: Code,
    detail: Cow<'static, str>,
    members: Value,
}

fn told(code: Code, detail: impl Into<Cow<'static, str>>) -> Told {
    Told {
        code,
        detail: detail.into(),
        members: Value::Null,
    }
}

impl Told {
    fn with(mut self, members: Value) -> Self {
        self.members = members;
        self
    }
}

impl Problem {
    /// The one place where codes and public texts are decided.
    fn told(&self) -> Told {
        match self {
            Self::EmptyBody => told(Code::EmptyBody, "send a JSON object as the request's body"),
            Self::MalformedJson {
                line,
                column,
                detail,
            } => told(Code::MalformedJson, detail.clone())
                .with(json!({ "line": line, "column": column })),
            Self::BodyTooLarge(limit) => told(
                Code::BodyTooLarge,
                format!("the body may have at most {limit} bytes"),
            )
            .with(json!({ "limit_bytes": limit })),
            Self::UnsupportedMediaType(found) => told(
                Code::UnsupportedMediaType,
                format!("the body must be `application/json`, not `{found}`"),
            ),
            Self::BodyInterrupted(_) => told(
                Code::BodyInterrupted,
                "the body could not be read to its end",
            ),
            Self::InvalidAlert(errors) => {
                let fields: Vec<_> = errors
                    .iter()
                    .map(|e| format!("`{}` {}", e.field, e.detail))
                    .collect();
                told(Code::InvalidAlert, fields.join("; ")).with(json!({ "errors": errors }))
            }
            Self::UnknownAlertType { alert_type, known } => {
                let detail = format!(
                    "no chain answers `{alert_type}`; known: {}",
                    known.join(", ")
                );
                let errors = [FieldError::new("alert_type", "is not a known alert type")];
                told(Code::UnknownAlertType, detail)
                    .with(json!({ "errors": errors, "known_alert_types": known }))
            }
            Self::InvalidParameter(error) => told(
                Code::InvalidParameter,
                format!("`{}` {}", error.field, error.detail),
            )
            .with(json!({ "errors": [error] })),
            Self::InvalidRequest(errors) => {
                let fields: Vec<_> = errors
                    .iter()
                    .map(|e| format!("`{}` {}", e.field, e.detail))
                    .collect();
                told(Code::InvalidRequest, fields.join("; ")).with(json!({ "errors": errors }))
            }
            Self::Refused(refused) => refused.told(),
            Self::IdempotencyKeyReused => told(
                Code::IdempotencyKeyReused,
                "this Idempotency-Key was used before, for a different alert",
            ),
            Self::UnmappableWebhook(results) => told(
                Code::UnmappableWebhook,
                "no alert of this payload could be used; `results` says why for each",
            )
            .with(json!({ "results": results })),
            Self::UnknownWebhookSource { source_name, known } => told(
                Code::UnknownWebhookSource,
                format!(
                    "no webhook source is called `{source_name}`; known: {}",
                    known.join(", ")
                ),
            )
            .with(json!({ "known_sources": known })),
            Self::SignatureNotValid(reason) => told(Code::SignatureNotValid, *reason),
            Self::Denied(denied) => denied.told(),
            Self::KeyNameTaken => told(
                Code::KeyNameTaken,
                "choose another name, or revoke that key first",
            ),
            Self::TooManyKeys(most) => told(
                Code::TooManyKeys,
                format!("there are {most} live keys, as many as may be"),
            ),
            Self::NotAWebSocket => told(
                Code::NotAWebSocket,
                "this path is opened as a WebSocket (RFC 6455)",
            ),
            Self::TicketNotValid => told(
                Code::TicketNotValid,
                "get a new ticket from `POST /api/v1/ws-tickets`; each works once, for 30 s",
            ),
            Self::OriginNotAllowed => told(
                Code::OriginNotAllowed,
                "pages of this origin may not do this: name it in TARSY_ALLOWED_ORIGINS; a client that is no page shows a ticket",
            ),
            Self::SnsAway => told(Code::SnsAway, "SNS did not answer; it will send this again"),
            Self::TooManySockets => told(
                Code::TooManySockets,
                "this process serves as many sockets as it can",
            ),
            Self::AlertNotFound => told(Code::AlertNotFound, "no alert has this id"),
            Self::SessionNotFound => told(Code::SessionNotFound, "no session has this id"),
            Self::NotFound => told(Code::NotFound, "nothing is served under this path"),
            Self::MethodNotAllowed => told(
                Code::MethodNotAllowed,
                "this path does not answer this method",
            ),
            Self::HistoryDisabled => told(
                Code::HistoryDisabled,
                "history is switched off by HISTORY_ENABLED=false",
            ),
            Self::NoLlmProvider => told(
                Code::NoLlmProvider,
                "no LLM provider is available: set its API key, or configure one under `llm_providers`",
            ),
            Self::Overloaded { limit } => told(
                Code::Overloaded,
                format!("{limit} sessions wait already, as many as may; nothing was accepted"),
            ),
            Self::DatabaseAway => told(
                Code::DatabaseAway,
                "the database can't be reached; repeating the request is safe",
            ),
            Self::Internal(_) => told(
                Code::Internal,
                "something went wrong on our side; the log says what",
            ),
        }
    }

    /// The stable name of this problem.
    #[must_use]
    pub fn code(&self) -> Code {
        self.told().code
    }

    /// The problem as a JSON object, for an item of a larger answer.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Told {
            code,
            detail,
            members,
        } = self.told();
        let mut body = Map::new();
        body.insert("type".into(), code.uri().into());
        body.insert("title".into(), code.title().into());
        body.insert("status".into(), code.status().as_u16().into());
        body.insert("code".into(), code.as_str().into());
        body.insert("detail".into(), detail.into());
        if let Value::Object(members) = members {
            body.extend(members);
        }
        Value::Object(body)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let Self::Internal(error) = &self {
            tracing::error!(?error, "request failed");
        }
        let body = self.to_json();
        let status = self.code().status();
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, BEARER);
        }
        if let Self::Denied(denied) = &self {
            denied.add_headers(headers);
        }
        response
    }
}

/// The body of every answer that is not a success (RFC 9457); some codes add members of their own.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// Names the kind of problem: `urn:tarsy:problem:<code>`.
    #[serde(rename = "type")]
    kind: String,
    /// The same for every problem of this code.
    title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// Stable name, see docs/ERRORS.md.
    #[schema(example = "invalid_alert")]
    code: String,
    /// What went wrong this time.
    detail: String,
    /// Each field that is not as it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<FieldError>>,
}
