//! Assembles Gemini's streamed responses. Each event is a response with more parts.

use serde_json::{Map, Value, json};

use super::{Assembler, append, error_in, overlay};
use crate::{AnswerPart, AnswerStream};

#[derive(Default)]
pub(super) struct Response {
    envelope: Map<String, Value>,
    candidate: Option<Map<String, Value>>,
    parts: Vec<Map<String, Value>>,
    error: Option<Value>,
}

impl Assembler for Response {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        if let Some(error) = error_in(&event) {
            self.error = Some(error);
        }
        overlay(&mut self.envelope, &event, &["candidates"]);
        let Some(candidate) = event.pointer("/candidates/0") else {
            return;
        };
        let known = self.candidate.get_or_insert_default();
        overlay(known, candidate, &["content"]);
        let parts = candidate
            .pointer("/content/parts")
            .and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let kind = match is_thought(part) {
                true => AnswerPart::Thinking,
                false => AnswerPart::Text,
            };
            stream.piece(
                kind,
                part.get("text").and_then(Value::as_str).unwrap_or_default(),
            );
            match self.parts.last_mut() {
                Some(last) if is_plain(part) && is_plain_map(last) && same_kind(last, part) => {
                    append(last, part, "text");
                }
                _ => self.parts.extend(part.as_object().cloned()),
            }
        }
    }

    fn has_begun(&self) -> bool {
        !self.parts.is_empty()
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        if let Some(mut candidate) = self.candidate.take() {
            candidate.get("finishReason")?;
            candidate.insert(
                "content".to_owned(),
                json!({"role": "model", "parts": self.parts}),
            );
            self.envelope
                .insert("candidates".to_owned(), json!([candidate]));
        }
        // Without a candidate, the prompt was blocked or the model returned nothing. The reader of the response decides
        // which.
        (!self.envelope.is_empty()).then(|| Value::Object(self.envelope))
    }
}

fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
}

/// Whether a part is only text, without a signature.
fn is_plain(part: &Value) -> bool {
    part.as_object().is_some_and(is_plain_map)
}

fn is_plain_map(part: &Map<String, Value>) -> bool {
    part.contains_key("text") && part.keys().all(|name| name == "text" || name == "thought")
}

fn same_kind(last: &Map<String, Value>, part: &Value) -> bool {
    last.get("thought").and_then(Value::as_bool) == part.get("thought").and_then(Value::as_bool)
}
