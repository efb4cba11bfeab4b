//! Streamed responses: asks for one, passes its pieces on, and puts it together to the response that the
//! provider would have sent at once.
//!
//! `genai` sees the whole response, so replies, refusals, usage and errors are read the same way whether an answer
//! was streamed or not (`docs/decisions/0050-streamed-answers.md`).

mod anthropic;
mod events;
mod gemini;
mod ollama;
mod openai;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use hyper::header;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use url::Url;

use self::events::Events;
use super::body_limit::{MAX_BODY_BYTES, too_large};
use crate::{AnswerStream, CallError, ErrorClass, ProviderKind};

/// Most bytes of one streamed response, envelopes included.
const MAX_STREAM_BYTES: usize = 8 * MAX_BODY_BYTES;

/// Bytes of an event that count as its envelope, not as content. Each token comes in one of about 250.
const ENVELOPE_BYTES: usize = 400;

/// Puts the events of a response together.
trait Assembler: Send {
    /// Takes the next event and passes its text on.
    fn take(&mut self, event: Value, stream: &AnswerStream);
    /// The whole response; `None`: it ended before its last event. `done`: the stream said that it is over.
    fn finish(self: Box<Self>, done: bool) -> Option<Value>;
}

/// The same request, for a streamed response. `None`: it can't be changed.
pub(super) fn request(kind: ProviderKind, url: &Url, body: &Bytes) -> Option<(Url, Bytes)> {
    let mut url = url.clone();
    if kind == ProviderKind::Gemini {
        let path = url.path().strip_suffix(":generateContent")?.to_owned();
        url.set_path(&format!("{path}:streamGenerateContent"));
        url.query_pairs_mut().append_pair("alt", "sse");
        return Some((url, body.clone()));
    }
    let mut members: BTreeMap<&str, &RawValue> = serde_json::from_slice(body).ok()?;
    let yes = RawValue::from_string("true".to_owned()).ok()?;
    let usage = RawValue::from_string(r#"{"include_usage":true}"#.to_owned()).ok()?;
    members.insert("stream", &yes);
    if matches!(kind, ProviderKind::OpenAi | ProviderKind::Xai) {
        members.insert("stream_options", &usage);
    }
    Some((url, serde_json::to_vec(&members).ok()?.into()))
}

/// Whether a response is a stream. Servers that know no streams answer at once all the same.
pub(super) fn is_stream(response: &reqwest::Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    response.status().is_success()
        && ["text/event-stream", "application/x-ndjson"]
            .iter()
            .any(|stream| kind.eq_ignore_ascii_case(stream))
}

/// Whether an error response may complain about streaming alone. Some accounts and gateways may not stream.
pub(super) fn may_refuse_streams(status: u16, body: &[u8]) -> bool {
    matches!(status, 400 | 404 | 405 | 422 | 501)
        && String::from_utf8_lossy(body)
            .to_lowercase()
            .contains("stream")
}

/// Reads a streamed response to its end and passes its text on meanwhile.
pub(super) async fn read(
    kind: ProviderKind,
    response: &mut reqwest::Response,
    stream: &AnswerStream,
    stall: Option<Duration>,
) -> Result<Vec<u8>, CallError> {
    let mut assembler: Box<dyn Assembler> = match kind {
        ProviderKind::Anthropic => Box::new(anthropic::Message::default()),
        ProviderKind::Gemini => Box::new(gemini::Response::default()),
        ProviderKind::Ollama => Box::new(ollama::Chat::default()),
        ProviderKind::OpenAi | ProviderKind::Xai | ProviderKind::Scripted => {
            Box::new(openai::Completion::default())
        }
    };
    let (mut events, mut bytes, mut content) = (Events::default(), 0, 0);
    let chunk_of = super::failure::from_reqwest;
    while let Some(chunk) =
        within(stall, async { response.chunk().await.map_err(chunk_of) }).await?
    {
        bytes += chunk.len();
        if bytes > MAX_STREAM_BYTES {
            return Err(too_large(MAX_STREAM_BYTES));
        }
        for event in events.push(&chunk) {
            content += event.len().saturating_sub(ENVELOPE_BYTES);
            assembler.take(parsed(&event)?, stream);
        }
        if content + events.pending() > MAX_BODY_BYTES {
            return Err(too_large(MAX_BODY_BYTES));
        }
    }
    if let Some(event) = events.finish() {
        assembler.take(parsed(&event)?, stream);
    }
    let whole = assembler.finish(events.is_done()).ok_or_else(|| {
        CallError::new(
            ErrorClass::Malformed,
            "the response ended before its last event",
        )
    })?;
    let body = whole.to_string().into_bytes();
    match body.len() > MAX_BODY_BYTES {
        true => Err(too_large(MAX_BODY_BYTES)),
        false => Ok(body),
    }
}

/// Waits for a part of a response, for as long as it may be silent.
pub(super) async fn within<T>(
    stall: Option<Duration>,
    part: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let Some(stall) = stall else {
        return part.await;
    };
    tokio::time::timeout(stall, part).await.unwrap_or_else(|_| {
        let message = format!(
            "the answer stalled: nothing came for {:.1} s",
            stall.as_secs_f64()
        );
        Err(CallError::new(ErrorClass::Timeout, message))
    })
}

fn parsed(event: &str) -> Result<Value, CallError> {
    serde_json::from_str(event).map_err(|cause| {
        let message = format!("an event of the response is invalid JSON: {cause}");
        CallError::new(ErrorClass::Malformed, message)
    })
}

/// The error that an event is, in place of a response.
fn error_in(event: &Value) -> Option<Value> {
    let error = event.get("error").filter(|error| !error.is_null());
    error.map(|_| event.clone())
}

/// Appends the text at `name` of `from` to that of `to`; returns it.
fn append<'f>(to: &mut Map<String, Value>, from: &'f Value, name: &str) -> &'f str {
    let more = from.get(name).and_then(Value::as_str).unwrap_or_default();
    if !more.is_empty() {
        match to.get_mut(name) {
            Some(Value::String(text)) => text.push_str(more),
            _ => {
                to.insert(name.to_owned(), more.into());
            }
        }
    }
    more
}

/// Sets the members of `from` that are not null.
fn overlay(to: &mut Map<String, Value>, from: &Value, except: &[&str]) {
    for (name, value) in from.as_object().into_iter().flatten() {
        if !value.is_null() && !except.contains(&name.as_str()) {
            to.insert(name.clone(), value.clone());
        }
    }
}
