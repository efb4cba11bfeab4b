//! Streamed answers in each wire format.

use serde_json::{Map, Value, json};

use super::pieces::pieces;
use super::{FakeAnswer, WireFormat, bedrock};

/// Returns the content type of a stream in a provider's format.
pub(super) const fn content_type(format: WireFormat) -> &'static str {
    match format {
        WireFormat::Ollama => "application/x-ndjson",
        WireFormat::Bedrock => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    }
}

/// Returns the frames of an answer whose text comes in pieces of `size` characters.
pub(super) fn frames(
    answer: &FakeAnswer,
    format: WireFormat,
    model: &str,
    size: usize,
) -> Vec<Vec<u8>> {
    let whole = answer.body(format, model);
    let thinking = pieces(&answer.thinking, size);
    let text = pieces(&answer.text, size);
    let frames = match format.dialect() {
        WireFormat::Anthropic => anthropic(&whole, size),
        WireFormat::Gemini => gemini(&whole, size),
        WireFormat::Ollama => ollama(&whole, &thinking, &text),
        WireFormat::Responses => responses(&whole, &thinking, &text),
        WireFormat::Bedrock => return bedrock::frames(&whole, size),
        _ => openai(&whole, &thinking, &text),
    };
    frames.into_iter().map(String::into_bytes).collect()
}

fn data(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn openai(whole: &Value, thinking: &[String], text: &[String]) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": whole["id"], "object": "chat.completion.chunk", "created": whole["created"], "model": whole["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null,
        })
    };
    let delta = |delta| data(&chunk(delta, Value::Null));
    let mut frames = vec![delta(
        json!({"role": "assistant", "content": "", "refusal": null}),
    )];
    frames.extend(
        thinking
            .iter()
            .map(|piece| delta(json!({"reasoning_content": piece}))),
    );
    frames.extend(text.iter().map(|piece| delta(json!({"content": piece}))));
    let message = &whole["choices"][0]["message"];
    for (index, call) in message["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let name = &call["function"]["name"];
        frames.push(delta(json!({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}]})));
        for piece in pieces(
            call["function"]["arguments"].as_str().unwrap_or_default(),
            5,
        ) {
            frames.push(delta(
                json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
            ));
        }
    }
    let finish = whole["choices"][0]["finish_reason"].clone();
    frames.push(data(&chunk(json!({}), finish)));
    if let Some(usage) = whole.get("usage") {
        let mut last = chunk(json!({}), Value::Null);
        last["choices"] = json!([]);
        last["usage"] = usage.clone();
        frames.push(data(&last));
    }
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn anthropic(whole: &Value, size: usize) -> Vec<String> {
    let event = |event: Value| {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {kind}\n{}", data(&event))
    };
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    if let Some(usage) = start.get_mut("usage") {
        usage["output_tokens"] = json!(1);
    }
    let mut frames = vec![
        event(json!({"type": "message_start", "message": start})),
        event(json!({"type": "ping"})),
    ];
    for (index, block) in whole["content"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let (start, deltas) = block_events(block, size);
        frames.push(event(
            json!({"type": "content_block_start", "index": index, "content_block": start}),
        ));
        frames.extend(deltas.into_iter().map(|delta| {
            event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
        }));
        frames.push(event(json!({"type": "content_block_stop", "index": index})));
    }
    frames.push(event(json!({
        "type": "message_delta", "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": null},
        "usage": {"output_tokens": whole["usage"]["output_tokens"], "output_tokens_details": whole["usage"]["output_tokens_details"]},
    })));
    frames.push(event(json!({"type": "message_stop"})));
    frames
}

fn block_events(block: &Value, size: usize) -> (Value, Vec<Value>) {
    let text = |name: &str| pieces(block[name].as_str().unwrap_or_default(), size);
    match block["type"].as_str() {
        Some("thinking") => {
            let thoughts = text("thinking").into_iter();
            let mut deltas: Vec<Value> = thoughts
                .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                .collect();
            deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                deltas,
            )
        }
        Some("tool_use") => {
            let input = pieces(&block["input"].to_string(), 5).into_iter();
            let deltas = input
                .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                .collect();
            (
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                deltas,
            )
        }
        _ => {
            let deltas = text("text")
                .into_iter()
                .map(|piece| json!({"type": "text_delta", "text": piece}))
                .collect();
            (json!({"type": "text", "text": ""}), deltas)
        }
    }
}

fn gemini(whole: &Value, size: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let all = whole["candidates"][0]["content"]["parts"].as_array();
    for part in all.into_iter().flatten() {
        let Some(text) = part.get("text").and_then(Value::as_str) else {
            parts.push(part.clone());
            continue;
        };
        for piece in pieces(text, size) {
            let mut part = part.clone();
            part["text"] = json!(piece);
            parts.push(part);
        }
    }
    let last = parts.len().saturating_sub(1);
    let frame = |(at, part): (usize, Value)| {
        let mut event = whole.clone();
        event["candidates"][0]["content"]["parts"] = json!([part]);
        if at < last
            && let Some(candidate) = event["candidates"][0].as_object_mut()
        {
            candidate.remove("finishReason");
        }
        data(&event)
    };
    parts.into_iter().enumerate().map(frame).collect()
}

fn responses(whole: &Value, thinking: &[String], text: &[String]) -> Vec<String> {
    let event = |event: Value| {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {kind}\n{}", data(&event))
    };
    let mut frames = vec![event(
        json!({"type": "response.created", "response": {"id": whole["id"], "status": "in_progress", "error": null, "output": []}}),
    )];
    for (kind, pieces) in [
        ("response.reasoning_summary_text.delta", thinking),
        ("response.output_text.delta", text),
    ] {
        let deltas = pieces
            .iter()
            .map(|piece| event(json!({"type": kind, "delta": piece})));
        frames.extend(deltas);
    }
    let kind = match whole["status"].as_str() {
        Some("incomplete") => "response.incomplete",
        _ => "response.completed",
    };
    frames.push(event(json!({"type": kind, "response": whole})));
    frames
}

fn ollama(whole: &Value, thinking: &[String], text: &[String]) -> Vec<String> {
    let line = |message: Value| {
        let mut event = Map::new();
        event.insert("model".to_owned(), whole["model"].clone());
        event.insert("message".to_owned(), message);
        event.insert("done".to_owned(), false.into());
        format!("{}\n", Value::Object(event))
    };
    let mut frames: Vec<String> = thinking
        .iter()
        .map(|piece| line(json!({"role": "assistant", "content": "", "thinking": piece})))
        .collect();
    frames.extend(
        text.iter()
            .map(|piece| line(json!({"role": "assistant", "content": piece}))),
    );
    if let Some(calls) = whole["message"].get("tool_calls") {
        frames.push(line(
            json!({"role": "assistant", "content": "", "tool_calls": calls}),
        ));
    }
    let mut last = whole.clone();
    last["message"] = json!({"role": "assistant", "content": ""});
    frames.push(format!("{last}\n"));
    frames
}
