//! Chunks of chat completions, of OpenAI and all who speak like it.

use serde_json::{Map, Value, json};

use super::{Assembler, append, error_in, has_text, overlay};
use crate::{AnswerPart, AnswerStream};

/// Names under which servers stream reasoning.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

#[derive(Default)]
pub(super) struct Completion {
    envelope: Map<String, Value>,
    message: Map<String, Value>,
    tool_calls: Vec<Map<String, Value>>,
    choice: Map<String, Value>,
    error: Option<Value>,
}

impl Assembler for Completion {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        if let Some(error) = error_in(&event) {
            self.error = Some(error);
        }
        overlay(&mut self.envelope, &event, &["choices", "object"]);
        let Some(choice) = event.pointer("/choices/0") else {
            return;
        };
        overlay(&mut self.choice, choice, &["delta", "message"]);
        // Some servers end with the whole message.
        let Some(delta) = choice.get("delta") else {
            return;
        };
        overlay(
            &mut self.message,
            delta,
            &[
                "content",
                "refusal",
                "tool_calls",
                REASONING[0],
                REASONING[1],
            ],
        );
        for name in REASONING {
            stream.piece(AnswerPart::Thinking, append(&mut self.message, delta, name));
        }
        stream.piece(
            AnswerPart::Text,
            append(&mut self.message, delta, "content"),
        );
        append(&mut self.message, delta, "refusal");
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.call(call);
        }
    }

    fn has_begun(&self) -> bool {
        !self.tool_calls.is_empty() || has_text(&self.message)
    }

    fn finish(mut self: Box<Self>, done: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        let ended = self.choice.contains_key("finish_reason");
        if !(ended || done && !self.message.is_empty()) {
            return None;
        }
        for name in ["content", "refusal"] {
            self.message.entry(name).or_insert(Value::Null);
        }
        self.message.entry("role").or_insert("assistant".into());
        if !self.tool_calls.is_empty() {
            self.message
                .insert("tool_calls".to_owned(), json!(self.tool_calls));
        }
        self.choice
            .insert("message".to_owned(), json!(self.message));
        self.envelope
            .insert("object".to_owned(), "chat.completion".into());
        self.envelope
            .insert("choices".to_owned(), json!([self.choice]));
        Some(Value::Object(self.envelope))
    }
}

impl Completion {
    /// Takes a piece of a tool call. Pieces of one call share an index; servers that send whole calls may leave it out, or give
    /// all the same: another id at a known index begins another call.
    fn call(&mut self, piece: &Value) {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = |call: Option<&Value>| {
            call.and_then(Value::as_str)
                .filter(|id| !id.is_empty())
                .map(str::to_owned)
        };
        let new = id(piece.get("id"));
        let known = self.tool_calls.iter().rposition(|call| {
            let is_same = new.is_none() || id(call.get("id")).is_none_or(|id| Some(id) == new);
            index.is_some() && call.get("index").and_then(Value::as_u64) == index && is_same
        });
        let at = known.unwrap_or_else(|| {
            self.tool_calls.push(Map::new());
            self.tool_calls.len() - 1
        });
        let Some(call) = self.tool_calls.get_mut(at) else {
            return;
        };
        overlay(call, piece, &["function"]);
        if let Some(id) = new {
            call.insert("id".to_owned(), id.into());
        }
        let function = call.entry("function").or_insert_with(|| json!({}));
        if let (Some(function), Some(more)) = (function.as_object_mut(), piece.get("function")) {
            let name = more.get("name").and_then(Value::as_str);
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                function.insert("name".to_owned(), name.into());
            }
            match more.get("arguments") {
                Some(whole @ Value::Object(_)) => {
                    function.insert("arguments".to_owned(), whole.clone());
                }
                _ => {
                    function.entry("arguments").or_insert("".into());
                    append(function, more, "arguments");
                }
            }
        }
    }
}
