//! Classifies errors of `genai` and of the HTTP client.

use genai::{Error as GenaiError, webc};
use serde_json::Value;

use super::{http_error, reply};
use crate::{CallError, ErrorClass};

/// Classifies an error of `genai`.
///
/// Does not pass on the messages of `genai`, because they quote the whole request and response.
pub(super) fn from_genai(error: GenaiError) -> CallError {
    match error {
        GenaiError::WebModelCall { webc_error, .. }
        | GenaiError::WebAdapterCall { webc_error, .. } => from_web(webc_error),
        GenaiError::HttpError {
            status,
            body,
            headers,
            ..
        } => http_error::from_response(status.as_u16(), &headers, &body),
        GenaiError::ChatResponseGeneration { response_body, .. } => {
            reply::in_disguise(&response_body).unwrap_or_else(|| not_the_format(&response_body))
        }
        GenaiError::ChatResponse { body, .. } => {
            reply::in_disguise(&body).unwrap_or_else(|| not_the_format(&body))
        }
        GenaiError::NoChatResponse { .. }
        | GenaiError::InvalidJsonResponseElement { .. }
        | GenaiError::StreamParse { .. }
        | GenaiError::WebStream { .. }
        | GenaiError::JsonValueExt(_)
        | GenaiError::SerdeJson(_) => not_the_format(&Value::Null),
        GenaiError::RequiresApiKey { .. }
        | GenaiError::NoAuthResolver { .. }
        | GenaiError::NoAuthData { .. }
        | GenaiError::Resolver { .. } => {
            CallError::new(ErrorClass::NotConfigured, "no API key is set")
        }
        _ => CallError::new(
            ErrorClass::InvalidRequest,
            "the provider's format does not support this conversation",
        ),
    }
}

fn not_the_format(body: &Value) -> CallError {
    let members = body
        .as_object()
        .map(|members| {
            members
                .keys()
                .take(8)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        })
        .unwrap_or_default();
    CallError::new(
        ErrorClass::Malformed,
        format!("the response is JSON, but not in the provider's format (keys: {members})"),
    )
}

fn from_web(error: webc::Error) -> CallError {
    match error {
        webc::Error::ResponseFailedStatus {
            status,
            body,
            headers,
        } => http_error::from_response(status.as_u16(), &headers, &body),
        webc::Error::ResponseFailedNotJson { content_type, .. } => CallError::new(
            ErrorClass::Malformed,
            format!("the response is not JSON but `{content_type}`"),
        ),
        webc::Error::ResponseFailedInvalidJson { cause, .. } => CallError::new(
            ErrorClass::Malformed,
            format!("the response is invalid JSON: {cause}"),
        ),
        webc::Error::JsonValueExt(_) => not_the_format(&Value::Null),
        webc::Error::Reqwest(error) => from_reqwest(error),
    }
}

/// Classifies an error of the HTTP client.
pub(super) fn from_reqwest(error: reqwest::Error) -> CallError {
    let (class, message) = if error.is_connect() && error.is_timeout() {
        // No request was sent yet: packets to the provider are dropped on the way.
        (
            ErrorClass::Connection,
            "connecting to the provider timed out",
        )
    } else if error.is_timeout() {
        (ErrorClass::Timeout, "the request to the provider timed out")
    } else if error.is_body() || error.is_decode() {
        (ErrorClass::Malformed, "the response is truncated")
    } else if error.is_builder() {
        (ErrorClass::InvalidRequest, "failed to build the request")
    } else if error.is_connect() {
        (ErrorClass::Connection, "failed to connect to the provider")
    } else {
        (
            ErrorClass::Connection,
            "the connection to the provider failed",
        )
    };
    CallError {
        class,
        message: message.to_owned(),
        retry_after: None,
        source: Some(Box::new(error.without_url())),
    }
}
