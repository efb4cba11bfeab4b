//! Streamed responses: requests one, passes its pieces on, and assembles the response that the provider would have sent
//! without streaming.
//!
//! `genai` gets the whole response. So replies, refusals, usage and errors are read in the same way with and without
//! streaming (`docs/decisions/0050-streamed-answers.md`).

mod anthropic;
mod bedrock;
mod events;
mod frames;
mod gemini;
mod ollama;
mod openai;
mod patience;
mod responses;

use std::collections::BTreeMap;

use bytes::Bytes;
use hyper::header;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tarsy_model::parse_odd_json;
use url::Url;

use self::events::Events;
use self::frames::Frames;
pub(super) use self::patience::Patience;
use self::patience::Waiting;
use super::body_limit::{MAX_BODY_BYTES, too_large};
use crate::{AnswerStream, CallError, ErrorClass, ProviderKind};

/// Largest streamed response in bytes, including envelopes.
const MAX_STREAM_BYTES: usize = 8 * MAX_BODY_BYTES;

/// Bytes of each event that count as its envelope, not as content. Each token comes in an envelope of about 250 bytes.
const ENVELOPE_BYTES: usize = 400;

/// Assembles a response from its events.
trait Assembler: Send {
    /// Takes the next event and passes its text on.
    fn take(&mut self, event: Value, stream: &AnswerStream);
    /// Whether a part of the answer has come: text, thoughts or a call.
    fn has_begun(&self) -> bool;
    /// Returns the whole response. `None` if the stream ended before its last event. `done` is true if the stream
    /// reported its end.
    fn finish(self: Box<Self>, done: bool) -> Option<Value>;
}

/// Returns the same request for a streamed response. `None` if it can't be changed.
pub(super) fn request(kind: ProviderKind, url: &Url, body: &Bytes) -> Option<(Url, Bytes)> {
    let mut url = url.clone();
    if kind == ProviderKind::Gemini {
        let path = url.path().strip_suffix(":generateContent")?.to_owned();
        url.set_path(&format!("{path}:streamGenerateContent"));
        url.query_pairs_mut().append_pair("alt", "sse");
        return Some((url, body.clone()));
    }
    if kind == ProviderKind::Bedrock {
        let path = url.path().strip_suffix("/converse")?.to_owned();
        url.set_path(&format!("{path}/converse-stream"));
        return Some((url, body.clone()));
    }
    // Claude on Vertex.
    if let Some(path) = url.path().strip_suffix(":rawPredict").map(str::to_owned) {
        url.set_path(&format!("{path}:streamRawPredict"));
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

/// Whether a response is a stream. A server that does not stream sends a plain response instead.
pub(super) fn is_stream(response: &reqwest::Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    response.status().is_success()
        && [
            "text/event-stream",
            "application/x-ndjson",
            frames::CONTENT_TYPE,
        ]
        .iter()
        .any(|stream| kind.eq_ignore_ascii_case(stream))
}

/// Whether an error response may be about streaming only. Some accounts and gateways can't stream.
pub(super) fn may_refuse_streams(status: u16, body: &[u8]) -> bool {
    matches!(status, 400 | 404 | 405 | 422 | 501)
        && String::from_utf8_lossy(body)
            .to_lowercase()
            .contains("stream")
}

/// Splits the bytes of a response into its events.
enum Splitter {
    /// Lines of text.
    Lines(Events),
    /// AWS's binary frames.
    Frames(Frames),
}

impl Splitter {
    fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        match self {
            Self::Lines(events) => events.push(bytes),
            Self::Frames(frames) => frames.push(bytes),
        }
    }

    fn pending(&self) -> usize {
        match self {
            Self::Lines(events) => events.pending(),
            Self::Frames(frames) => frames.pending(),
        }
    }

    fn finish(&mut self) -> Vec<String> {
        match self {
            Self::Lines(events) => events.finish(),
            Self::Frames(_) => Vec::new(),
        }
    }

    const fn is_done(&self) -> bool {
        match self {
            Self::Lines(events) => events.is_done(),
            Self::Frames(_) => false,
        }
    }
}

/// Reads a streamed response to its end and passes its text on meanwhile.
pub(super) async fn read(
    kind: ProviderKind,
    response: &mut reqwest::Response,
    stream: &AnswerStream,
    waiting: &Waiting,
) -> Result<Vec<u8>, CallError> {
    let mut events = match kind {
        ProviderKind::Bedrock => Splitter::Frames(Frames::default()),
        _ => Splitter::Lines(Events::default()),
    };
    let mut assembler = assembler(kind);
    let (mut bytes, mut content) = (0, 0);
    let chunk_of = super::failure::from_reqwest;
    loop {
        let chunk = async { response.chunk().await.map_err(chunk_of) };
        let chunk = match assembler.has_begun() {
            true => waiting.more(chunk).await?,
            false => waiting.first(chunk).await?,
        };
        let Some(chunk) = chunk else { break };
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
    for event in events.finish() {
        assembler.take(parsed(&event)?, stream);
    }
    let body = finished(assembler, events.is_done())?;
    match body.len() > MAX_BODY_BYTES {
        true => Err(too_large(MAX_BODY_BYTES)),
        false => Ok(body),
    }
}

fn assembler(kind: ProviderKind) -> Box<dyn Assembler> {
    match kind {
        ProviderKind::Anthropic => Box::new(anthropic::Message::default()),
        ProviderKind::Gemini => Box::new(gemini::Response::default()),
        ProviderKind::Ollama => Box::new(ollama::Chat::default()),
        ProviderKind::Bedrock => Box::new(bedrock::Conversation::default()),
        ProviderKind::OpenAiResponses => Box::new(responses::Response::default()),
        _ => Box::new(openai::Completion::default()),
    }
}

fn finished(assembler: Box<dyn Assembler>, done: bool) -> Result<Vec<u8>, CallError> {
    let whole = assembler.finish(done).ok_or_else(|| {
        CallError::new(
            ErrorClass::Malformed,
            "the response ended before its last event",
        )
    })?;
    Ok(whole.to_string().into_bytes())
}

/// Assembles a body that is a stream, although none was requested or its header names another type. Returns any other
/// body unchanged.
///
/// # Errors
///
/// [`ErrorClass::Malformed`] if an event is invalid JSON or the last event is missing.
pub(super) fn from_body(kind: ProviderKind, body: Vec<u8>) -> Result<Vec<u8>, CallError> {
    let marks: [&[u8]; 3] = [b"data:", b"event:", b":"];
    let begin = body.trim_ascii_start();
    let begin = begin.strip_prefix("\u{feff}".as_bytes()).unwrap_or(begin);
    if kind == ProviderKind::Bedrock || !marks.iter().any(|mark| begin.starts_with(mark)) {
        return Ok(body);
    }
    let mut events = Events::default();
    let mut assembler = assembler(kind);
    let stream = AnswerStream::default();
    let mut all = events.push(&body);
    all.extend(events.finish());
    for event in all {
        assembler.take(parsed(&event)?, &stream);
    }
    finished(assembler, events.is_done())
}

fn parsed(event: &str) -> Result<Value, CallError> {
    parse_odd_json(event).map_err(|cause| {
        let message = format!("an event of the response is invalid JSON: {cause}");
        CallError::new(ErrorClass::Malformed, message)
    })
}

/// Returns the event if it is an error instead of a part of the response.
fn error_in(event: &Value) -> Option<Value> {
    let error = event.get("error");
    let is_error = error.is_some_and(super::http_error::is_error) || event["object"] == "error";
    is_error.then(|| event.clone())
}

/// Appends the text of the member `name` of `from` to that of `to`. Returns the appended text.
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

/// Whether the message assembled so far has text or thoughts.
fn has_text(message: &Map<String, Value>) -> bool {
    let names = ["content", "reasoning_content", "reasoning", "thinking"];
    let texts = names.iter().filter_map(|name| message.get(*name)?.as_str());
    texts.into_iter().any(|text| !text.is_empty())
}

/// Copies the members of `from` that are not null, without those in `except`.
fn overlay(to: &mut Map<String, Value>, from: &Value, except: &[&str]) {
    for (name, value) in from.as_object().into_iter().flatten() {
        if !value.is_null() && !except.contains(&name.as_str()) {
            to.insert(name.clone(), value.clone());
        }
    }
}
