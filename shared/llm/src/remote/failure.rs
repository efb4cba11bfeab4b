//! Why `genai` brought no response.

use genai::{Error as GenaiError, webc};
use serde_json::Value;

use super::{http_error, reply};
use crate::{CallError, ErrorClass};

/// Sort an error of `genai` into a class.
///
/// Its own messages are not passed on: they quote the whole request and response.
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
            CallError::new(ErrorClass::NotConfigured, "there is no API key")
        }
        _ => CallError::new(
            ErrorClass::InvalidRequest,
            "the conversation cannot be expressed in the provider's format",
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
        format!("the answer is JSON, but not the provider's format (members: {members})"),
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
            format!("the answer is not JSON but `{content_type}`"),
        ),
        webc::Error::ResponseFailedInvalidJson { cause, .. } => CallError::new(
            ErrorClass::Malformed,
            format!("the answer is broken JSON: {cause}"),
        ),
        webc::Error::JsonValueExt(_) => not_the_format(&Value::Null),
        webc::Error::Reqwest(error) => from_reqwest(error),
    }
}

/// Sort an error of the way to the provider into a class.
pub(super) fn from_reqwest(error: reqwest::Error) -> CallError {
    let (class, message) = if error.is_timeout() {
        (
            ErrorClass::Timeout,
            "the provider could not be reached in time",
        )
    } else if error.is_body() || error.is_decode() {
        (ErrorClass::Malformed, "the answer was cut off")
    } else if error.is_builder() {
        (ErrorClass::InvalidRequest, "the request cannot be built")
    } else if error.is_connect() {
        (ErrorClass::Connection, "the provider cannot be reached")
    } else {
        (
            ErrorClass::Connection,
            "the connection to the provider broke",
        )
    };
    CallError {
        class,
        message: message.to_owned(),
        retry_after: None,
        source: Some(Box::new(error.without_url())),
    }
}
