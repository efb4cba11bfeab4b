//! Assembles the events of OpenAI's Responses API. The last event holds the whole response.

use serde_json::{Value, json};

use super::{Assembler, error_in};
use crate::{AnswerPart, AnswerStream};

#[derive(Default)]
pub(super) struct Response {
    /// Completed items, for servers whose last event omits them.
    items: Vec<Value>,
    has_begun: bool,
    whole: Option<Value>,
    error: Option<Value>,
}

impl Assembler for Response {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        let piece = event.get("delta").and_then(Value::as_str);
        let piece = piece.unwrap_or_default();
        match event.get("type").and_then(Value::as_str) {
            Some("response.output_text.delta") => stream.piece(AnswerPart::Text, piece),
            Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
                stream.piece(AnswerPart::Thinking, piece);
            }
            Some("response.output_item.done") => self.items.extend(event.get("item").cloned()),
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                self.whole = event.get("response").cloned();
            }
            Some("error") => {
                let error = error_in(&event);
                self.error = Some(error.unwrap_or_else(|| json!({"error": event})));
            }
            _ => self.error = self.error.take().or_else(|| error_in(&event)),
        }
        self.has_begun |= !piece.is_empty() || !self.items.is_empty();
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        let mut whole = self.whole?;
        let output = whole.get("output").and_then(Value::as_array);
        if output.is_none_or(Vec::is_empty) {
            whole["output"] = json!(self.items);
        }
        Some(whole)
    }
}
