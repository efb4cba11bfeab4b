//! Codes and public texts.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Code, FieldError, Problem};

/// What leaves the process about a problem.
pub(super) struct PublicMessage {
    pub(super) code: Code,
    pub(super) detail: Cow<'static, str>,
    pub(super) members: Value,
}

pub(super) fn public_message(code: Code, detail: impl Into<Cow<'static, str>>) -> PublicMessage {
    PublicMessage {
        code,
        detail: detail.into(),
        members: Value::Null,
    }
}

impl PublicMessage {
    pub(super) fn with(mut self, members: Value) -> Self {
        self.members = members;
        self
    }
}

/// A problem of fields, each of them named.
fn fields(code: Code, errors: &[FieldError]) -> PublicMessage {
    let detail: Vec<_> = errors
        .iter()
        .map(|e| format!("`{}` {}", e.field, e.detail))
        .collect();
    public_message(code, detail.join("; ")).with(json!({ "errors": errors }))
}

impl Problem {
    /// The one place where codes and public texts are decided.
    pub(super) fn public_message(&self) -> PublicMessage {
        match self {
            Self::EmptyBody => {
                public_message(Code::EmptyBody, "send a JSON object as the request's body")
            }
            Self::MalformedJson {
                line,
                column,
                detail,
            } => public_message(Code::MalformedJson, detail.clone())
                .with(json!({ "line": line, "column": column })),
            Self::BodyTooLarge(limit) => public_message(
                Code::BodyTooLarge,
                format!("the body may have at most {limit} bytes"),
            )
            .with(json!({ "limit_bytes": limit })),
            Self::UnsupportedMediaType(found) => public_message(
                Code::UnsupportedMediaType,
                format!("the body must be `application/json`, not `{found}`"),
            ),
            Self::BodyInterrupted(_) => public_message(
                Code::BodyInterrupted,
                "the body could not be read to its end",
            ),
            Self::BodyTooSlow => public_message(
                Code::RequestTimeout,
                "the body came too slowly; see TARSY_BODY_TIMEOUT",
            ),
            Self::HostNotAllowed => public_message(
                Code::HostNotAllowed,
                "access control is off, so only requests to localhost, 127.0.0.1 or [::1] are answered: set TARSY_AUTH=on to use another name",
            ),
            Self::InvalidAlert(errors) => fields(Code::InvalidAlert, errors),
            Self::UnknownAlertType { alert_type, known } => {
                let detail = format!(
                    "no chain answers `{alert_type}`; known: {}",
                    known.join(", ")
                );
                let errors = [FieldError::new("alert_type", "is not a known alert type")];
                public_message(Code::UnknownAlertType, detail)
                    .with(json!({ "errors": errors, "known_alert_types": known }))
            }
            Self::InvalidParameter(error) => {
                fields(Code::InvalidParameter, std::slice::from_ref(error))
            }
            Self::InvalidRequest(errors) => fields(Code::InvalidRequest, errors),
            Self::Conflict(error) => error.public_message(),
            Self::IdempotencyKeyReused => public_message(
                Code::IdempotencyKeyReused,
                "this Idempotency-Key was used before, for a different alert",
            ),
            Self::UnmappableWebhook(results) => public_message(
                Code::UnmappableWebhook,
                "no alert of this payload could be used; `results` says why for each",
            )
            .with(json!({ "results": results })),
            Self::UnknownWebhookSource { source_name, known } => public_message(
                Code::UnknownWebhookSource,
                format!(
                    "no webhook source is called `{source_name}`; known: {}",
                    known.join(", ")
                ),
            )
            .with(json!({ "known_sources": known })),
            Self::SignatureNotValid(reason) => public_message(Code::SignatureNotValid, *reason),
            Self::Auth(error) => error.public_message(),
            Self::KeyNameTaken => public_message(
                Code::KeyNameTaken,
                "choose another name, or revoke that key first",
            ),
            Self::TooManyKeys(most) => public_message(
                Code::TooManyKeys,
                format!("there are {most} live keys, as many as may be"),
            ),
            Self::NotAWebSocket => public_message(
                Code::NotAWebSocket,
                "this path is opened as a WebSocket (RFC 6455)",
            ),
            Self::TicketNotValid => public_message(
                Code::TicketNotValid,
                "get a new ticket from `POST /api/v1/ws-tickets`; each works once, for 30 s",
            ),
            Self::OriginNotAllowed => public_message(
                Code::OriginNotAllowed,
                "pages of this origin may not do this: name it in TARSY_ALLOWED_ORIGINS; a client that is no page shows a ticket",
            ),
            Self::SnsAway => {
                public_message(Code::SnsAway, "SNS did not answer; it will send this again")
            }
            Self::TooManySockets => public_message(
                Code::TooManySockets,
                "this process serves as many sockets as it can",
            ),
            Self::TooManySocketsOfOne(most) => public_message(
                Code::RateLimited,
                format!("you have {most} sockets open, as many as one caller may: close some"),
            ),
            Self::TooManyChecks => public_message(
                Code::RateLimited,
                "your earlier runbook checks still wait: try again when they are answered",
            ),
            Self::AlertNotFound => public_message(Code::AlertNotFound, "no alert has this id"),
            Self::SessionNotFound => {
                public_message(Code::SessionNotFound, "no session has this id")
            }
            Self::NotFound => public_message(Code::NotFound, "nothing is served under this path"),
            Self::MethodNotAllowed => public_message(
                Code::MethodNotAllowed,
                "this path does not answer this method",
            ),
            Self::HistoryDisabled => public_message(
                Code::HistoryDisabled,
                "history is switched off by HISTORY_ENABLED=false",
            ),
            Self::NoLlmProvider => public_message(
                Code::NoLlmProvider,
                "no LLM provider is available: set its API key, or configure one under `llm_providers`",
            ),
            Self::Overloaded { limit } => public_message(
                Code::Overloaded,
                format!("{limit} sessions wait already, as many as may; nothing was accepted"),
            ),
            Self::DatabaseAway => public_message(
                Code::DatabaseAway,
                "the database can't be reached; repeating the request is safe",
            ),
            Self::Internal(_) => public_message(
                Code::Internal,
                "something went wrong on our side; the log says what",
            ),
        }
    }
}
