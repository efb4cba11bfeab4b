//! Assembles the events of Bedrock's `ConverseStream`.

use serde_json::{Map, Value, json};

use super::{Assembler, append, error_in};
use crate::{AnswerPart, AnswerStream};

#[derive(Default)]
pub(super) struct Conversation {
    blocks: Vec<(u64, Block)>,
    stop_reason: Option<Value>,
    usage: Option<Value>,
    error: Option<Value>,
}

#[derive(Default)]
struct Block {
    text: Map<String, Value>,
    reasoning: Map<String, Value>,
    redacted: Option<Value>,
    call: Map<String, Value>,
}

impl Assembler for Conversation {
    fn take(&mut self, event: Value, stream: &AnswerStream) {
        if let Some(error) = error_in(&event) {
            self.error = Some(error);
        }
        if let Some(start) = event.pointer("/contentBlockStart/start/toolUse") {
            let call = start.as_object().cloned().unwrap_or_default();
            self.block(&event["contentBlockStart"]).call = call;
        }
        if let Some(part) = event.get("contentBlockDelta") {
            self.block(part).take(&part["delta"], stream);
        }
        if let Some(stop) = event.pointer("/messageStop/stopReason") {
            self.stop_reason = Some(stop.clone());
        }
        if let Some(usage) = event.pointer("/metadata/usage") {
            self.usage = Some(usage.clone());
        }
    }

    fn has_begun(&self) -> bool {
        !self.blocks.is_empty()
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Value> {
        if self.error.is_some() {
            return self.error;
        }
        let stop_reason = self.stop_reason.take()?;
        let blocks: Vec<Value> = self.blocks.into_iter().map(|(_, b)| b.finish()).collect();
        let mut whole = json!({
            "output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": stop_reason,
        });
        if let Some(usage) = self.usage {
            whole["usage"] = usage;
        }
        Some(whole)
    }
}

impl Conversation {
    fn block(&mut self, part: &Value) -> &mut Block {
        let index = part["contentBlockIndex"].as_u64().unwrap_or(0);
        let at = self.blocks.iter().position(|(known, _)| *known == index);
        let at = at.unwrap_or_else(|| {
            self.blocks.push((index, Block::default()));
            self.blocks.len() - 1
        });
        &mut self.blocks[at].1
    }
}

impl Block {
    fn take(&mut self, delta: &Value, stream: &AnswerStream) {
        stream.piece(AnswerPart::Text, append(&mut self.text, delta, "text"));
        if let Some(call) = delta.get("toolUse") {
            append(&mut self.call, call, "input");
        }
        if let Some(thought) = delta.get("reasoningContent") {
            let text = append(&mut self.reasoning, thought, "text");
            stream.piece(AnswerPart::Thinking, text);
            append(&mut self.reasoning, thought, "signature");
            if let Some(redacted) = thought.get("redactedContent") {
                self.redacted = Some(redacted.clone());
            }
        }
    }

    /// Returns the block in the form of a response without streaming. Arguments that are not JSON stay text.
    fn finish(mut self) -> Value {
        if !self.call.is_empty() {
            let input = self.call.remove("input");
            let input = input.as_ref().and_then(Value::as_str).unwrap_or_default();
            let input = serde_json::from_str(input).unwrap_or_else(|_| input.into());
            self.call.insert("input".to_owned(), input);
            return json!({"toolUse": self.call});
        }
        if let Some(redacted) = self.redacted {
            return json!({"reasoningContent": {"redactedContent": redacted}});
        }
        if !self.reasoning.is_empty() {
            return json!({"reasoningContent": {"reasoningText": self.reasoning}});
        }
        Value::Object(self.text)
    }
}
