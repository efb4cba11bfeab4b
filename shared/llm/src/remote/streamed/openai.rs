//! Assembles chunks of chat completions, from OpenAI and compatible servers.

use std::borrow::Cow;

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
    /// The whole message. Some servers send it at the end, or instead of deltas.
    whole: Option<Value>,
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
        if let Some(message @ Value::Object(_)) = choice.get("message") {
            self.whole = Some(message.clone());
        }
        let Some(delta) = choice.get("delta") else {
            return;
        };
        let delta = &*without_parts(delta);
        overlay(
            &mut self.message,
            delta,
            &[
                "content",
                "refusal",
                "tool_calls",
                "function_call",
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
        match delta.get("tool_calls") {
            Some(Value::Array(calls)) => calls.iter().for_each(|call| self.call(call)),
            Some(call @ Value::Object(_)) => self.call(call),
            _ => {}
        }
        // Earlier versions had a single call under this name.
        if let Some(function @ Value::Object(_)) = delta.get("function_call") {
            self.call(&json!({"index": 0, "function": function}));
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
        let is_empty = self.tool_calls.is_empty() && !has_text(&self.message);
        if let Some(Value::Object(whole)) = self.whole.take().filter(|_| is_empty) {
            self.message = whole;
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
    /// Takes a piece of a tool call. Pieces of one call share an index. Servers that send whole calls may omit the
    /// index or repeat it, so another id at a known index begins another call.
    fn call(&mut self, piece: &Value) {
        let index = piece.get("index").and_then(number);
        let id = |call: Option<&Value>| {
            call.and_then(Value::as_str)
                .filter(|id| !id.is_empty())
                .map(str::to_owned)
        };
        let new = id(piece.get("id"));
        let name = piece.pointer("/function/name").and_then(Value::as_str);
        let continues = index.is_none() && new.is_none() && name.is_none_or(str::is_empty);
        let known = self.tool_calls.iter().rposition(|call| {
            let is_same = new.is_none() || id(call.get("id")).is_none_or(|id| Some(id) == new);
            index.is_some() && call.get("index").and_then(number) == index && is_same
        });
        let known = known.or_else(|| self.tool_calls.len().checked_sub(1).filter(|_| continues));
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

/// Reads a number, or a number in a text.
fn number(index: &Value) -> Option<u64> {
    index.as_u64().or_else(|| index.as_str()?.parse().ok())
}

/// Returns the delta with text as its content. Mistral sends a list of parts, with thoughts in separate parts.
fn without_parts(delta: &Value) -> Cow<'_, Value> {
    let Some(parts) = delta.get("content").and_then(Value::as_array) else {
        return Cow::Borrowed(delta);
    };
    let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    let thoughts = parts.iter().filter_map(|part| part.get("thinking"));
    let thoughts: String = thoughts
        .map(|thought| match thought {
            Value::String(thought) => thought.clone(),
            Value::Array(parts) => parts.iter().filter_map(text).collect(),
            _ => String::new(),
        })
        .collect();
    let mut delta = delta.clone();
    delta["content"] = parts.iter().filter_map(text).collect::<String>().into();
    if !thoughts.is_empty() {
        delta[REASONING[0]] = thoughts.into();
    }
    Cow::Owned(delta)
}
