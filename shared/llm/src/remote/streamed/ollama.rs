//! Assembles Ollama's JSON lines. Each line is a response with the next piece of the message.

use serde_json::{Map, Value, json};

use super::{Assembler, append, error_in, has_text, overlay};
use crate::{AnswerPart, AnswerStream};

/// Names under which servers stream reasoning.
const REASONING: [&str; 2] = ["thinking", "reasoning_content"];

#[derive(Default)]
pub(super) struct Chat {
    envelope: Map<String, Value>,
    message: Map<String, Value>,
    tool_calls: Vec<Value>,
    error: Option<Value>,
}

impl Assembler for Chat {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        if let Some(error) = error_in(&event) {
            self.error = Some(error);
        }
        overlay(&mut self.envelope, &event, &["message"]);
        let Some(message) = event.get("message") else {
            return;
        };
        let own = &mut self.message;
        overlay(
            own,
            message,
            &["content", "tool_calls", REASONING[0], REASONING[1]],
        );
        for name in REASONING {
            stream.piece(AnswerPart::Thinking, append(own, message, name));
        }
        stream.piece(AnswerPart::Text, append(own, message, "content"));
        let calls = message.get("tool_calls").and_then(Value::as_array);
        self.tool_calls.extend(calls.into_iter().flatten().cloned());
    }

    fn has_begun(&self) -> bool {
        !self.tool_calls.is_empty() || has_text(&self.message)
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        if self.envelope.get("done").and_then(Value::as_bool) != Some(true) {
            return None;
        }
        self.message.entry("content").or_insert("".into());
        if !self.tool_calls.is_empty() {
            self.message
                .insert("tool_calls".to_owned(), json!(self.tool_calls));
        }
        self.envelope
            .insert("message".to_owned(), json!(self.message));
        Some(Value::Object(self.envelope))
    }
}
