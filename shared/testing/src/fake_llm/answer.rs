//! Successful answers in each wire format.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::WireFormat;

/// A model's answer, independent of the wire format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FakeAnswer {
    /// Text; empty: none.
    pub text: String,
    /// Native reasoning; empty: none.
    pub thinking: String,
    /// Native tool calls, all in one answer.
    pub tool_calls: Vec<FakeToolCall>,
    /// Signature of the thoughts, for Gemini and Anthropic.
    pub signature: Option<String>,
    /// Prompt and answer tokens; `None`: the provider reports no usage.
    pub usage: Option<(u32, u32)>,
    /// Part of the prompt tokens that came from the cache.
    pub cached_tokens: u32,
    /// Part of the prompt tokens that was written to the cache; reported by Anthropic only.
    pub cache_write_tokens: u32,
    /// Part of the answer tokens that were reasoning.
    pub reasoning_tokens: u32,
    /// Whether the answer is truncated at its maximum length.
    pub cut: bool,
    /// Delay before the answer, in ms.
    pub delay_ms: u64,
}

/// One native tool call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FakeToolCall {
    /// Id; Gemini and Ollama send none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments.
    pub arguments: Value,
}

impl FakeAnswer {
    /// Creates an answer with a text, 100 prompt tokens and 20 answer tokens.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            usage: Some((100, 20)),
            ..Self::default()
        }
    }

    /// Creates an answer with native tool calls. Their ids are `call_0`, `call_1`, ..
    #[must_use]
    pub fn tool_calls<'n>(calls: impl IntoIterator<Item = (&'n str, Value)>) -> Self {
        let tool_calls = calls
            .into_iter()
            .enumerate()
            .map(|(index, (name, arguments))| FakeToolCall {
                id: format!("call_{index}"),
                name: name.to_owned(),
                arguments,
            })
            .collect();
        Self {
            tool_calls,
            ..Self::text("")
        }
    }

    /// Returns the body in a provider's format.
    pub(super) fn body(&self, format: WireFormat, model: &str) -> Value {
        match format.dialect() {
            // xAI reports reasoning tokens separately.
            WireFormat::Xai => self.openai(model, self.reasoning_tokens),
            WireFormat::Anthropic => self.anthropic(model),
            WireFormat::Gemini => self.gemini(model),
            WireFormat::Ollama => self.ollama(model),
            WireFormat::Responses => self.responses(model),
            WireFormat::Bedrock => {
                super::bedrock::body(self, self.stopped("end_turn", "tool_use", "max_tokens"))
            }
            _ => self.openai(model, 0),
        }
    }

    fn openai(&self, model: &str, counted_apart: u32) -> Value {
        let mut message =
            json!({"role": "assistant", "content": non_empty(&self.text), "refusal": null});
        if !self.thinking.is_empty() {
            message["reasoning_content"] = json!(self.thinking);
        }
        if !self.tool_calls.is_empty() {
            message["tool_calls"] = self
                .tool_calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function", "function": {
                        "name": call.name, "arguments": call.arguments.to_string()}})
                })
                .collect();
        }
        let finish = self.stopped("stop", "tool_calls", "length");
        let mut body = json!({
            "id": "chatcmpl-fake", "object": "chat.completion", "created": 1_700_000_000, "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        });
        if let Some((input, output)) = self.usage {
            body["usage"] = json!({
                "prompt_tokens": input, "completion_tokens": output.saturating_sub(counted_apart), "total_tokens": input + output,
                "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
                "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
            });
        }
        body
    }

    fn anthropic(&self, model: &str) -> Value {
        let mut content = Vec::new();
        if !self.thinking.is_empty() {
            let signature = self.signature.clone().unwrap_or_else(|| "sig".into());
            content.push(
                json!({"type": "thinking", "thinking": self.thinking, "signature": signature}),
            );
        }
        if !self.text.is_empty() {
            content.push(json!({"type": "text", "text": self.text}));
        }
        for call in &self.tool_calls {
            content.push(json!({
                "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
        }
        let mut body = json!({
            "id": "msg_fake", "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": self.stopped("end_turn", "tool_use", "max_tokens"), "stop_sequence": null,
        });
        if let Some((input, output)) = self.usage {
            // Anthropic reports cached tokens separately.
            body["usage"] = json!({
                "input_tokens": input.saturating_sub(self.cached_tokens + self.cache_write_tokens), "output_tokens": output,
                "cache_read_input_tokens": self.cached_tokens, "cache_creation_input_tokens": self.cache_write_tokens,
                "output_tokens_details": {"thinking_tokens": self.reasoning_tokens},
            });
        }
        body
    }

    fn gemini(&self, model: &str) -> Value {
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(json!({"text": self.thinking, "thought": true}));
        }
        if !self.text.is_empty() {
            parts.push(json!({"text": self.text}));
        }
        for (index, call) in self.tool_calls.iter().enumerate() {
            let mut part = json!({"functionCall": {"name": call.name, "args": call.arguments}});
            // Only the first of parallel calls is signed.
            if let (0, Some(signature)) = (index, &self.signature) {
                part["thoughtSignature"] = json!(signature);
            }
            parts.push(part);
        }
        let mut body = json!({
            "candidates": [{
                "content": {"role": "model", "parts": parts}, "index": 0,
                "finishReason": self.stopped("STOP", "STOP", "MAX_TOKENS")}],
            "modelVersion": model, "responseId": "fake",
        });
        if let Some((input, output)) = self.usage {
            // Gemini reports thought tokens separately.
            body["usageMetadata"] = json!({
                "promptTokenCount": input, "candidatesTokenCount": output.saturating_sub(self.reasoning_tokens),
                "thoughtsTokenCount": self.reasoning_tokens, "cachedContentTokenCount": self.cached_tokens,
                "totalTokenCount": input + output,
            });
        }
        body
    }

    fn responses(&self, model: &str) -> Value {
        let mut output = Vec::new();
        if !self.thinking.is_empty() {
            output.push(json!({
                "type": "reasoning", "id": "rs_fake", "summary": [{"type": "summary_text", "text": self.thinking}],
                "encrypted_content": self.signature,
            }));
        }
        if !self.text.is_empty() {
            output.push(json!({
                "type": "message", "id": "msg_fake", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": self.text, "annotations": []}],
            }));
        }
        output.extend(self.tool_calls.iter().map(|call| {
            json!({"type": "function_call", "id": "fc_fake", "call_id": call.id, "name": call.name,
                "arguments": call.arguments.to_string(), "status": "completed"})
        }));
        let mut body = json!({
            "id": "resp_fake", "object": "response", "created_at": 1_700_000_000, "model": model, "error": null,
            "status": self.stopped("completed", "completed", "incomplete"), "output": output,
        });
        if self.cut {
            body["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        if let Some((input, output)) = self.usage {
            body["usage"] = json!({
                "input_tokens": input, "output_tokens": output, "total_tokens": input + output,
                "input_tokens_details": {"cached_tokens": self.cached_tokens},
                "output_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
            });
        }
        body
    }

    fn ollama(&self, model: &str) -> Value {
        let mut message = json!({"role": "assistant", "content": self.text});
        if !self.thinking.is_empty() {
            message["thinking"] = json!(self.thinking);
        }
        if !self.tool_calls.is_empty() {
            message["tool_calls"] = self
                .tool_calls
                .iter()
                .map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}))
                .collect();
        }
        let mut body = json!({
            "model": model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true,
            "done_reason": self.stopped("stop", "stop", "length"),
        });
        if let Some((input, output)) = self.usage {
            body["prompt_eval_count"] = json!(input);
            body["eval_count"] = json!(output);
        }
        body
    }

    fn stopped(&self, done: &'static str, tools: &'static str, cut: &'static str) -> &'static str {
        match (self.cut, self.tool_calls.is_empty()) {
            (true, _) => cut,
            (false, true) => done,
            (false, false) => tools,
        }
    }
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
