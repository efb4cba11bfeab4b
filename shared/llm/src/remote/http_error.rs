//! Classifies error responses of providers.
//!
//! The status alone is not enough: providers return 400 for a full context window, an unpaid account and a bad key
//! alike.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::retry_after::{retry_after, retry_delay};
use crate::{CallError, ErrorClass};

/// Phrases of providers' messages, in lower case. The first one that matches decides.
const PHRASES: &[(&str, ErrorClass)] = &[
    // OpenAI refuses a tool's description or schema with the code of a prompt that is too long
    // (`string_above_max_length`).
    ("tools[", ErrorClass::InvalidRequest),
    // OpenAI, Azure, vLLM; xAI; Anthropic; Gemini; llama.cpp and Ollama.
    ("context_length_exceeded", ErrorClass::ContextLength),
    ("maximum context length", ErrorClass::ContextLength),
    ("maximum prompt length", ErrorClass::ContextLength),
    ("prompt is too long", ErrorClass::ContextLength),
    (
        "input length and `max_tokens` exceed context limit",
        ErrorClass::ContextLength,
    ),
    ("input token count", ErrorClass::ContextLength),
    ("input is too long", ErrorClass::ContextLength),
    ("exceed_context_size", ErrorClass::ContextLength),
    (
        "exceeds the available context size",
        ErrorClass::ContextLength,
    ),
    ("exceeds maximum context length", ErrorClass::ContextLength),
    ("exceeds the context length", ErrorClass::ContextLength),
    ("exceeds the context window", ErrorClass::ContextLength),
    ("string_above_max_length", ErrorClass::ContextLength),
    (
        "tokens + `max_new_tokens` must be",
        ErrorClass::ContextLength,
    ),
    ("request_too_large", ErrorClass::ContextLength),
    // vLLM; SGLang; LM Studio; Moonshot; DashScope.
    ("maximum model length", ErrorClass::ContextLength),
    (
        "longer than the model's context length",
        ErrorClass::ContextLength,
    ),
    ("greater than the context length", ErrorClass::ContextLength),
    ("context the overflows", ErrorClass::ContextLength),
    ("exceeded model token limit", ErrorClass::ContextLength),
    ("range of input length should be", ErrorClass::ContextLength),
    // OpenAI, 429: the request exceeds the limit per minute, so waiting does not help.
    ("request too large for", ErrorClass::ContextLength),
    // An account without credit. Waiting does not help, even if the status suggests it.
    ("insufficient_quota", ErrorClass::Auth),
    ("credit balance is too low", ErrorClass::Auth),
    ("billing_hard_limit_reached", ErrorClass::Auth),
    ("used all available credits", ErrorClass::Auth),
    ("reached your specified api usage limits", ErrorClass::Auth),
    // Bad keys that are reported with status 400 (Gemini, xAI).
    ("api_key_invalid", ErrorClass::Auth),
    ("api key not valid", ErrorClass::Auth),
    ("incorrect api key", ErrorClass::Auth),
    ("invalid_api_key", ErrorClass::Auth),
    ("authentication_error", ErrorClass::Auth),
    // Content refused (OpenAI, Azure, xAI, Anthropic).
    ("content_policy_violation", ErrorClass::Refused),
    ("content_filter", ErrorClass::Refused),
    ("violates usage guidelines", ErrorClass::Refused),
    ("responsible ai", ErrorClass::Refused),
    ("blocked by content filtering", ErrorClass::Refused),
    ("invalid_prompt", ErrorClass::Refused),
    // Errors in responses with status 200, and errors in Bedrock's streams.
    ("throttlingexception", ErrorClass::RateLimited),
    ("modelstreamerrorexception", ErrorClass::ServerError),
    ("internalserverexception", ErrorClass::ServerError),
    ("serviceunavailableexception", ErrorClass::Overloaded),
    ("validationexception", ErrorClass::InvalidRequest),
    ("overloaded_error", ErrorClass::Overloaded),
    ("rate_limit", ErrorClass::RateLimited),
    ("resource_exhausted", ErrorClass::RateLimited),
    ("too many requests", ErrorClass::RateLimited),
    ("server_error", ErrorClass::ServerError),
    ("internal_error", ErrorClass::ServerError),
    ("internal server error", ErrorClass::ServerError),
    ("service_unavailable", ErrorClass::Overloaded),
    ("unavailable_error", ErrorClass::Overloaded),
    ("bad_gateway", ErrorClass::ServerError),
    ("gateway_timeout", ErrorClass::ServerError),
];

/// Words for the input and words for an excess. A message with one of each is about the context window, no matter which
/// server wrote it.
const SENT: [&str; 4] = ["context", "prompt", "input", "number of tokens"];
const TOO_MUCH: [&str; 6] = [
    "too long",
    "too large",
    "exceed",
    "longer than",
    "maximum",
    "overflow",
];
/// Words for the length limit of the answer. A larger window would not help.
const ANSWER: [&str; 4] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
];

/// Whether a refusal is about the context window. Covers servers whose phrases are not in [`PHRASES`].
fn is_about_the_window(status: u16, text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    matches!(status, 400 | 413 | 422) && has(&SENT) && has(&TOO_MUCH) && !has(&ANSWER)
}

/// Longest plain-text error that is kept, in characters.
const LONGEST_TEXT: usize = 300;

/// Returns the error in an HTTP response without a success status.
pub(super) fn from_response(status: u16, headers: &HeaderMap, body: &str) -> CallError {
    let json = serde_json::from_str(body).unwrap_or_else(|_| in_plain_text(body));
    let class = by_phrase(&json, status).unwrap_or_else(|| by_status(status));
    let message = match message(&json) {
        Some(message) => format!("HTTP {status}: {message}"),
        None if json.is_null() && !body.trim().is_empty() => {
            format!("HTTP {status} with a body that is not JSON")
        }
        None => format!("HTTP {status}"),
    };
    let wait = match class {
        ErrorClass::RateLimited | ErrorClass::Overloaded | ErrorClass::ServerError => {
            retry_after(headers, &json)
        }
        _ => None,
    };
    let class = match (class, wait) {
        // Bedrock reports a failed model with status 424.
        _ if status == 424 && headers.contains_key("x-amzn-errortype") => ErrorClass::ServerError,
        // A provider that names a time to retry is busy, not broken.
        (ErrorClass::ServerError, Some(_)) => ErrorClass::Overloaded,
        _ => class,
    };
    CallError::new(class, message).with_retry_after(wait)
}

/// Whether a member `error` reports an error. Gateways write `null`, `""` or `{}` next to an answer.
pub(super) fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

/// Returns the error in a body that came with a success status.
pub(super) fn from_body(json: &Value) -> CallError {
    // The code may be a number, or a number in a text.
    let codes = ["/error/code", "/error/status", "/code", "/status"];
    let codes = codes.iter().filter_map(|at| json.pointer(at));
    let mut numbers = codes.filter_map(|code| match code {
        Value::String(text) => text.trim().parse().ok(),
        code => code.as_u64().and_then(|code| u16::try_from(code).ok()),
    });
    let status = numbers
        .find(|code| (400..600).contains(code))
        .unwrap_or(200);
    let class = by_phrase(json, status).unwrap_or(match status {
        400.. => by_status(status),
        _ => ErrorClass::Malformed,
    });
    let message = message(json).unwrap_or_else(|| "without a message".to_owned());
    CallError::new(
        class,
        format!("error inside a successful answer: {message}"),
    )
    .with_retry_after(match class {
        ErrorClass::RateLimited | ErrorClass::Overloaded => retry_delay(json),
        _ => None,
    })
}

/// Reads an error that a server wrote as plain text. Ignores HTML, because a proxy's page does not describe the
/// request.
fn in_plain_text(body: &str) -> Value {
    let text = body.trim();
    match text.is_empty() || text.starts_with('<') {
        true => Value::Null,
        false => json!({"message": text.chars().take(LONGEST_TEXT).collect::<String>()}),
    }
}

const fn by_status(status: u16) -> ErrorClass {
    match status {
        401..=403 => ErrorClass::Auth,
        408 => ErrorClass::Timeout,
        413 => ErrorClass::ContextLength,
        429 => ErrorClass::RateLimited,
        409 | 425 | 503 | 529 => ErrorClass::Overloaded,
        500 | 502 | 504 | 520..=524 => ErrorClass::ServerError,
        _ => ErrorClass::InvalidRequest,
    }
}

/// Classifies an error by its code, type, status, parameter, reasons and message.
fn by_phrase(json: &Value, status: u16) -> Option<ErrorClass> {
    let mut text = String::new();
    for field in ["type", "code", "status", "param"] {
        for value in [json.pointer(&format!("/error/{field}")), json.get(field)] {
            if let Some(word) = value.and_then(Value::as_str) {
                text.push_str(word);
                text.push(' ');
            }
        }
    }
    for detail in json
        .pointer("/error/details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(reason) = detail.get("reason").and_then(Value::as_str) {
            text.push_str(reason);
            text.push(' ');
        }
    }
    text.push_str(&message(json).unwrap_or_default());
    let text = text.to_lowercase();
    let known = PHRASES.iter().find_map(|&(phrase, class)| {
        // For errors that a wait may cure, the status is more reliable than a phrase.
        let waits = matches!(
            class,
            ErrorClass::RateLimited | ErrorClass::Overloaded | ErrorClass::ServerError
        );
        ((!waits || status < 400) && text.contains(phrase)).then_some(class)
    });
    known.or_else(|| is_about_the_window(status, &text).then_some(ErrorClass::ContextLength))
}

/// Returns the message for people from any place where providers put it.
fn message(json: &Value) -> Option<String> {
    // Gemini's OpenAI-compatible endpoint wraps the error in an array.
    let json = json.get(0).unwrap_or(json);
    [
        "/error/message",
        "/error",
        "/message",
        "/detail",
        "/detail/0/msg",
        "/errors/0/message",
        "/error/type",
    ]
    .into_iter()
    .find_map(|path| json.pointer(path).and_then(Value::as_str))
    .filter(|message| !message.trim().is_empty())
    .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// For any response of a server: no panic, and a wait only where waiting helps.
        #[test]
        fn any_answer_has_a_class(
            status in 300_u16..1000,
            body in prop_oneof![
                ".{0,80}",
                r#"\{"error":(\{"(message|code|type|details)":("[^"\\]{0,20}"|\[\]|\[\{"retryDelay":"[0-9a-z.]{0,8}"\}\]|7)\}|"[^"\\]{0,20}"|null)\}"#,
            ],
            wait in "[ -~]{0,12}",
        ) {
            let mut headers = HeaderMap::new();
            for name in ["retry-after", "retry-after-ms", "x-ratelimit-reset-tokens"] {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&wait).unwrap());
            }
            headers.insert("x-ratelimit-remaining-tokens", HeaderValue::from_static("0"));
            let error = from_response(status, &headers, &body);
            let waitable = matches!(error.class, ErrorClass::RateLimited | ErrorClass::Overloaded);
            prop_assert!(waitable || error.retry_after.is_none());
            prop_assert!(error.retry_after.is_none_or(|wait| wait.as_secs() <= 86_400));
        }
    }
}
