//! Code and public text of each problem.

use std::borrow::Cow;

use serde_json::{Value, json};
use tarsy_intake::{Error, FieldError};

use crate::problem::{Code, Problem};

/// Code, text and extra members of a problem's response.
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

/// Message that names each invalid field.
fn fields(code: Code, errors: &[FieldError]) -> PublicMessage {
    let detail: Vec<_> = errors
        .iter()
        .map(|e| format!("`{}` {}", e.field, e.detail))
        .collect();
    public_message(code, detail.join("; ")).with(json!({ "errors": errors }))
}

impl Problem {
    /// Maps every problem to its code and public text.
    pub(super) fn public_message(&self) -> PublicMessage {
        match self {
            Self::EmptyBody => {
                public_message(Code::EmptyBody, "the request body must be a JSON object")
            }
            Self::MalformedJson {
                line,
                column,
                detail,
            }
            | Self::Intake(Error::MalformedJson {
                line,
                column,
                detail,
            }) => public_message(Code::MalformedJson, detail.clone())
                .with(json!({ "line": line, "column": column })),
            Self::BodyTooLarge(limit) => public_message(
                Code::BodyTooLarge,
                format!("the request body exceeds {limit} bytes"),
            )
            .with(json!({ "limit_bytes": limit })),
            Self::TooManyLargeBodies => public_message(
                Code::TooManyLargeBodies,
                "other large request bodies are being read; nothing was accepted",
            ),
            Self::UnsupportedEncoding(found) => public_message(
                Code::UnsupportedMediaType,
                format!("the content encoding must be `gzip` or none, not `{found}`"),
            ),
            Self::UnsupportedMediaType(found) => public_message(
                Code::UnsupportedMediaType,
                format!("the content type must be `application/json`, not `{found}`"),
            ),
            Self::BodyInterrupted(_) => public_message(
                Code::BodyInterrupted,
                "the connection was interrupted before the end of the request body",
            ),
            Self::BodyTooSlow => public_message(
                Code::RequestTimeout,
                "the request body arrived too slowly; see TARSY_BODY_TIMEOUT",
            ),
            Self::HostNotAllowed => public_message(
                Code::HostNotAllowed,
                "access control is off, so only requests to localhost, 127.0.0.1 or [::1] are allowed; set TARSY_AUTH=on to use another host name",
            ),
            Self::Intake(Error::InvalidAlert(errors)) => fields(Code::InvalidAlert, errors),
            Self::Intake(Error::UnknownAlertType { alert_type, known }) => {
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
            Self::Intake(Error::IdempotencyKeyReused) => public_message(
                Code::IdempotencyKeyReused,
                "this Idempotency-Key was already used for a different alert",
            ),
            Self::UnmappableWebhook(results) => public_message(
                Code::UnmappableWebhook,
                "the payload contains no valid alert; see `results` for each reason",
            )
            .with(json!({ "results": results })),
            Self::UnknownWebhookSource { source_name, known } => public_message(
                Code::UnknownWebhookSource,
                format!(
                    "unknown webhook source `{source_name}`; known: {}",
                    known.join(", ")
                ),
            )
            .with(json!({ "known_sources": known })),
            Self::Intake(Error::SignatureNotValid(reason)) => {
                public_message(Code::SignatureNotValid, *reason)
            }
            Self::Auth(error) => error.public_message(),
            Self::KeyNameTaken => public_message(
                Code::KeyNameTaken,
                "an active key has this name; choose another name, or revoke that key first",
            ),
            Self::TooManyKeys(most) => public_message(
                Code::TooManyKeys,
                format!("the limit of {most} active keys is reached"),
            ),
            Self::NotAWebSocket => public_message(
                Code::NotAWebSocket,
                "this path requires a WebSocket upgrade (RFC 6455)",
            ),
            Self::TicketNotValid => public_message(
                Code::TicketNotValid,
                "the ticket is unknown, used or expired; get a new one from `POST /api/v1/ws-tickets`",
            ),
            Self::CsrfHeaderMissing => public_message(
                Code::CsrfHeaderMissing,
                "a request that changes something by a browser's cookie carries the header `X-Tarsy-CSRF`",
            ),
            Self::OriginNotAllowed => public_message(
                Code::OriginNotAllowed,
                "add the page's origin to TARSY_ALLOWED_ORIGINS; clients that are not web pages need a ticket",
            ),
            Self::Intake(Error::SnsAway) => public_message(
                Code::SnsAway,
                "Amazon SNS did not respond; it redelivers the message",
            ),
            Self::TooManySockets => public_message(
                Code::TooManySockets,
                "this process has reached its WebSocket limit",
            ),
            Self::TooManySocketsOfOne(most) => public_message(
                Code::RateLimited,
                format!("the limit of {most} WebSockets per caller is reached; close some"),
            ),
            Self::TooManyChecks => public_message(
                Code::RateLimited,
                "earlier runbook checks of this caller are still running; retry later",
            ),
            Self::AlertNotFound => public_message(Code::AlertNotFound, "no alert with this id"),
            Self::IncidentNotFound => public_message(
                Code::IncidentNotFound,
                "no incident with this id; a session alone is in none",
            ),
            Self::SessionNotFound => {
                public_message(Code::SessionNotFound, "no session with this id")
            }
            Self::NotFound => public_message(Code::NotFound, "no route matches this path"),
            Self::MethodNotAllowed => public_message(
                Code::MethodNotAllowed,
                "this path does not support this method",
            ),
            Self::HistoryDisabled => public_message(
                Code::HistoryDisabled,
                "history is disabled by HISTORY_ENABLED=false",
            ),
            Self::KnowledgeDisabled => public_message(
                Code::KnowledgeDisabled,
                "no knowledge store is configured: see the section `knowledge`",
            ),
            Self::Intake(Error::NoLlmProvider) => public_message(
                Code::NoLlmProvider,
                "no LLM provider is available: set an API key, or configure one under `llm_providers`",
            ),
            Self::Intake(Error::Overloaded { limit }) => public_message(
                Code::Overloaded,
                format!("the limit of {limit} pending sessions is reached; nothing was accepted"),
            ),
            Self::DatabaseAway | Self::Intake(Error::DatabaseAway) => public_message(
                Code::DatabaseAway,
                "the database is unavailable; retrying is safe",
            ),
            Self::Internal(_) | Self::Intake(Error::Internal(_)) => public_message(
                Code::Internal,
                "an internal error occurred; see the service's log",
            ),
        }
    }
}
