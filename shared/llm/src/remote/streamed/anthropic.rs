//! Assembles the events of Anthropic's Messages API.

use serde_json::{Map, Value, json};

use super::{Assembler, append, error_in, overlay};
use crate::{AnswerPart, AnswerStream};

#[derive(Default)]
pub(super) struct Message {
    message: Map<String, Value>,
    blocks: Vec<Block>,
    error: Option<Value>,
    ended: bool,
}

#[derive(Default)]
struct Block {
    content: Map<String, Value>,
    /// Arguments of a tool call, as far as they have arrived.
    input: String,
}

impl Assembler for Message {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        if let Some(error) = error_in(&event) {
            self.error = Some(error);
            return;
        }
        let index = event.get("index").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => {
                let start = event.get("message").unwrap_or(&Value::Null);
                overlay(&mut self.message, start, &[]);
            }
            Some("content_block_start") => {
                let mut block = Block::default();
                let start = event.get("content_block").unwrap_or(&Value::Null);
                overlay(&mut block.content, start, &[]);
                for (name, part) in [
                    ("thinking", AnswerPart::Thinking),
                    ("text", AnswerPart::Text),
                ] {
                    stream.piece(
                        part,
                        start.get(name).and_then(Value::as_str).unwrap_or_default(),
                    );
                }
                self.blocks.push(block);
            }
            Some("content_block_delta") => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                // Blocks arrive one after the other, so an index that is too large means the last block.
                let at = index.unwrap_or(0).min(self.blocks.len().saturating_sub(1));
                if let Some(block) = self.blocks.get_mut(at) {
                    block.take(delta, stream);
                }
            }
            Some("message_delta") => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                overlay(&mut self.message, delta, &[]);
                let mut usage = Map::new();
                overlay(&mut usage, event.get("usage").unwrap_or(&Value::Null), &[]);
                if !usage.is_empty()
                    && let Some(known) = self
                        .message
                        .entry("usage")
                        .or_insert_with(|| json!({}))
                        .as_object_mut()
                {
                    known.extend(usage);
                }
            }
            Some("message_stop") => self.ended = true,
            _ => {}
        }
    }

    fn has_begun(&self) -> bool {
        !self.blocks.is_empty()
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        if !self.ended {
            return None;
        }
        let blocks: Vec<Value> = self.blocks.into_iter().map(Block::finish).collect();
        self.message.insert("content".to_owned(), json!(blocks));
        Some(Value::Object(self.message))
    }
}

impl Block {
    fn take(&mut self, delta: &Value, stream: &AnswerStream) {
        let content = &mut self.content;
        stream.piece(AnswerPart::Text, append(content, delta, "text"));
        stream.piece(AnswerPart::Thinking, append(content, delta, "thinking"));
        append(content, delta, "signature");
        let input = delta.get("partial_json").and_then(Value::as_str);
        self.input.push_str(input.unwrap_or_default());
    }

    fn finish(mut self) -> Value {
        if !self.input.is_empty() {
            // Arguments that the length limit cut stay text, which no tool accepts.
            let input = serde_json::from_str(&self.input).unwrap_or(Value::String(self.input));
            self.content.insert("input".to_owned(), input);
        }
        Value::Object(self.content)
    }
}
