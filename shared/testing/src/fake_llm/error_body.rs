//! Bodies without an answer in each wire format, in the providers' words: errors, refusals and empty envelopes.

use serde_json::{Value, json};

use super::WireFormat;

/// Returns the body of a failed request.
pub(super) fn error_body(
    format: WireFormat,
    status: u16,
    code: Option<&str>,
    message: &str,
) -> Value {
    match format.dialect() {
        WireFormat::Bedrock => json!({"message": message}),
        WireFormat::Xai => json!({"code": code.unwrap_or("The service failed"), "error": message}),
        WireFormat::Ollama => json!({"error": message}),
        WireFormat::Anthropic => json!({"type": "error", "request_id": "req_fake", "error": {
            "type": code.unwrap_or(match status {
                401 => "authentication_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                529 => "overloaded_error",
                500.. => "api_error",
                _ => "invalid_request_error",
            }),
            "message": message,
        }}),
        WireFormat::Gemini => json!({"error": {
            "code": status,
            "message": message,
            "status": match status {
                400 => "INVALID_ARGUMENT",
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                503 => "UNAVAILABLE",
                504 => "DEADLINE_EXCEEDED",
                _ => "INTERNAL",
            },
            "details": code.map(|reason| json!([
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}
            ])).unwrap_or_else(|| json!([])),
        }}),
        _ => json!({"error": {
            "message": message,
            "type": match status {
                401 => "invalid_request_error",
                429 => "tokens",
                500.. => "server_error",
                _ => "invalid_request_error",
            },
            "param": null,
            "code": code,
        }}),
    }
}

/// Returns the body of a successful response without an answer, because the model or its filter refuses.
pub(super) fn refusal_body(format: WireFormat, model: &str) -> Value {
    match format.dialect() {
        WireFormat::Responses => json!({
            "id": "resp_fake", "object": "response", "model": model, "status": "completed",
            "output": [{"type": "message", "role": "assistant", "content": [
                {"type": "refusal", "refusal": "I can't help with that."}]}],
        }),
        WireFormat::Bedrock => json!({
            "output": {"message": {"role": "assistant", "content": [{"text": "Blocked."}]}},
            "stopReason": "guardrail_intervened",
        }),
        WireFormat::Anthropic => json!({
            "id": "msg_fake", "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": "refusal",
            "usage": {"input_tokens": 10, "output_tokens": 0},
        }),
        WireFormat::Gemini => json!({
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 10}, "modelVersion": model,
        }),
        // Ollama has no content filter. A gateway in front of it stops with this reason.
        WireFormat::Ollama => json!({
            "model": model, "message": {"role": "assistant", "content": ""}, "done": true,
            "done_reason": "content_filter",
        }),
        _ => json!({
            "id": "chatcmpl-fake", "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": null, "refusal": "I can't help with that."}}],
        }),
    }
}

/// Returns the body of a successful response with an empty envelope.
pub(super) fn empty_body(format: WireFormat, model: &str) -> Value {
    match format.dialect() {
        WireFormat::Responses => {
            json!({"id": "resp_fake", "object": "response", "model": model, "status": "completed", "output": []})
        }
        WireFormat::Bedrock => json!({
            "output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn",
        }),
        WireFormat::Anthropic => json!({
            "id": "msg_fake", "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": "end_turn",
        }),
        WireFormat::Gemini => {
            json!({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]})
        }
        WireFormat::Ollama => json!({
            "model": model, "message": {"role": "assistant", "content": ""}, "done": true,
            "done_reason": "stop",
        }),
        _ => {
            json!({"id": "chatcmpl-fake", "object": "chat.completion", "model": model, "choices": []})
        }
    }
}
