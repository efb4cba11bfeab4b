//! Codes and public texts.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Code, FieldError, Problem};

/// What leaves the process about a problem.
pub(super) struct Told {
    pub(super) code: Code,
    pub(super) detail: Cow<'static, str>,
    pub(super) members: Value,
}

pub(super) fn told(code: Code, detail: impl Into<Cow<'static, str>>) -> Told {
    Told {
        code,
        detail: detail.into(),
        members: Value::Null,
    }
}

impl Told {
    pub(super) fn with(mut self, members: Value) -> Self {
        self.members = members;
        self
    }
}

/// A problem of fields, each of them named.
fn fields(code: Code, errors: &[FieldError]) -> Told {
    let detail: Vec<_> = errors
        .iter()
        .map(|e| format!("`{}` {}", e.field, e.detail))
        .collect();
    told(code, detail.join("; ")).with(json!({ "errors": errors }))
}

impl Problem {
    /// The one place where codes and public texts are decided.
    pub(super) fn told(&self) -> Told {
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
            Self::BodyTooSlow => told(
                Code::RequestTimeout,
                "the body came too slowly; see TARSY_BODY_TIMEOUT",
            ),
            Self::HostNotAllowed => told(
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
                told(Code::UnknownAlertType, detail)
                    .with(json!({ "errors": errors, "known_alert_types": known }))
            }
            Self::InvalidParameter(error) => {
                fields(Code::InvalidParameter, std::slice::from_ref(error))
            }
            Self::InvalidRequest(errors) => fields(Code::InvalidRequest, errors),
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
            Self::TooManySocketsOfOne(most) => told(
                Code::RateLimited,
                format!("you have {most} sockets open, as many as one caller may: close some"),
            ),
            Self::TooManyChecks => told(
                Code::RateLimited,
                "your earlier runbook checks still wait: try again when they are answered",
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
}
