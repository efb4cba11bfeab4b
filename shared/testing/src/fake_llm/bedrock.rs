//! Bedrock's format: the body of an answer, and the binary frames of a streamed answer.

use serde_json::{Value, json};

use super::FakeAnswer;
use super::pieces::pieces;

/// Returns the body of an answer.
pub(super) fn body(answer: &FakeAnswer, stop_reason: &str) -> Value {
    let mut content = Vec::new();
    if !answer.thinking.is_empty() {
        let signature = answer.signature.as_deref().unwrap_or("sig");
        content.push(json!({"reasoningContent": {"reasoningText": {"text": answer.thinking, "signature": signature}}}));
    }
    if !answer.text.is_empty() {
        content.push(json!({"text": answer.text}));
    }
    for call in &answer.tool_calls {
        content.push(
            json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}}),
        );
    }
    let mut body = json!({
        "output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop_reason,
        "metrics": {"latencyMs": 1},
    });
    if let Some((input, output)) = answer.usage {
        body["usage"] = json!({
            "inputTokens": input, "outputTokens": output, "totalTokens": input + output,
            "cacheReadInputTokens": answer.cached_tokens, "cacheWriteInputTokens": answer.cache_write_tokens,
        });
    }
    body
}

/// Returns the frames of an answer whose text comes in pieces of `size` characters.
pub(super) fn frames(whole: &Value, size: usize) -> Vec<Vec<u8>> {
    let mut frames = vec![frame("messageStart", &json!({"role": "assistant"}))];
    let blocks = whole["output"]["message"]["content"].as_array();
    for (index, block) in blocks.into_iter().flatten().enumerate() {
        let mut deltas = Vec::new();
        if let Some(call) = block.get("toolUse") {
            let start = json!({"toolUse": {"toolUseId": call["toolUseId"], "name": call["name"]}});
            let start = json!({"contentBlockIndex": index, "start": start});
            frames.push(frame("contentBlockStart", &start));
            let input = pieces(&call["input"].to_string(), 5).into_iter();
            deltas.extend(input.map(|piece| json!({"toolUse": {"input": piece}})));
        } else if let Some(thought) = block.pointer("/reasoningContent/reasoningText") {
            let text = pieces(thought["text"].as_str().unwrap_or_default(), size).into_iter();
            deltas.extend(text.map(|piece| json!({"reasoningContent": {"text": piece}})));
            deltas.push(json!({"reasoningContent": {"signature": thought["signature"]}}));
        } else {
            let text = pieces(block["text"].as_str().unwrap_or_default(), size).into_iter();
            deltas.extend(text.map(|piece| json!({"text": piece})));
        }
        let deltas = deltas.into_iter().map(|delta| {
            let delta = json!({"contentBlockIndex": index, "delta": delta});
            frame("contentBlockDelta", &delta)
        });
        frames.extend(deltas);
        let stop = json!({"contentBlockIndex": index});
        frames.push(frame("contentBlockStop", &stop));
    }
    let stop = json!({"stopReason": whole["stopReason"]});
    frames.push(frame("messageStop", &stop));
    if let Some(usage) = whole.get("usage") {
        frames.push(frame("metadata", &json!({"usage": usage})));
    }
    frames
}

/// Returns a frame. Its checksums are zero, because the client does not compare them.
fn frame(event: &str, payload: &Value) -> Vec<u8> {
    let mut headers = Vec::new();
    for (name, value) in [
        (":event-type", event),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ] {
        headers.push(u8::try_from(name.len()).unwrap_or(0));
        headers.extend(name.as_bytes());
        headers.push(7);
        headers.extend(u16::try_from(value.len()).unwrap_or(0).to_be_bytes());
        headers.extend(value.as_bytes());
    }
    let payload = payload.to_string();
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(0).to_be_bytes();
    let mut frame = Vec::new();
    frame.extend(length(16 + headers.len() + payload.len()));
    frame.extend(length(headers.len()));
    frame.extend([0; 4]);
    frame.extend(headers);
    frame.extend(payload.as_bytes());
    frame.extend([0; 4]);
    frame
}
