//! Converts a provider's response to a reply or an error.

use std::collections::HashSet;

use genai::chat::{ChatResponse, MessageContent, StopReason as Stop, ToolCall, Usage};
use serde_json::Value;
use tarsy_model::{TokenUsage, storable, storable_json};

use super::{compat, http_error};
use crate::{
    CallError, CallSignature, ChatReply, ChatRequest, ErrorClass, NativeToolCall, ProviderKind,
    StopReason,
};

/// Finish reasons of Gemini's answers whose tool call is unusable.
const MALFORMED_CALLS: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

/// Returns the reply in a response that `genai` could read.
pub(super) fn from_response(
    kind: ProviderKind,
    provider: &str,
    request: &ChatRequest,
    response: ChatResponse,
) -> Result<ChatReply, CallError> {
    let raw = response.captured_raw_body.unwrap_or(Value::Null);
    if let Some(error) = in_disguise(&raw) {
        return Err(error);
    }
    let repaired = |repair| tarsy_metrics::repairs::llm(provider, repair);
    let stopped = response
        .stop_reason
        .as_ref()
        .map(Stop::raw)
        .unwrap_or_default();
    match &response.stop_reason {
        Some(Stop::ContentFilter(_)) => {
            return Err(CallError::new(
                ErrorClass::Refused,
                format!("the content filter stopped the answer ({stopped})"),
            ));
        }
        Some(Stop::Other(reason)) if MALFORMED_CALLS.contains(&reason.as_str()) => {
            return Err(CallError::new(
                ErrorClass::Malformed,
                "the model's tool call is malformed",
            ));
        }
        _ => {}
    }
    let (lone, text) = compat::split_reasoning(&text_of(&response.content));
    if lone.is_some() {
        repaired("reasoning_in_text");
    }
    let thinking = [response.reasoning_content, lone].into_iter().flatten();
    let thinking: Vec<String> = thinking.filter(|text| !text.trim().is_empty()).collect();
    let thinking = (!thinking.is_empty()).then(|| storable(thinking.join("\n\n")));
    let mut tool_calls = tool_calls(kind, response.content);
    if request.forbid_tools && kind == ProviderKind::Bedrock {
        // Bedrock has no way to forbid tool calls.
        tool_calls.clear();
    }
    if kind == ProviderKind::OpenAi && has_own_reasoning(&raw) {
        seal(kind, &mut tool_calls);
    }
    // If no tool can be called, reasoning without text counts as the answer.
    let text = match &thinking {
        Some(thinking) if text.trim().is_empty() && !calls_tools(request) => {
            repaired("answer_in_reasoning");
            thinking.clone()
        }
        _ => storable(text),
    };
    let stop_reason = stop_reason(response.stop_reason.as_ref(), !tool_calls.is_empty());
    let reply = ChatReply {
        text,
        thinking,
        tool_calls,
        usage: usage(&response.usage),
        model_name: response.provider_model_iden.model_name.to_string(),
        stop_reason,
    };
    if reply.text.trim().is_empty() && reply.tool_calls.is_empty() {
        let why = match reply.stop_reason {
            StopReason::MaxTokens => "the length limit was used up before any text".to_owned(),
            _ if stopped.is_empty() => "the answer holds no text and no tool call".to_owned(),
            _ => format!("the answer holds no text and no tool call (stopped: {stopped})"),
        };
        return Err(CallError::new(ErrorClass::Empty, why));
    }
    Ok(reply)
}

/// Whether the model may call tools natively.
fn calls_tools(request: &ChatRequest) -> bool {
    !request.tools.is_empty() && !request.forbid_tools
}

/// Whether reasoning came in its own member. Only such reasoning can be sent back.
fn has_own_reasoning(raw: &Value) -> bool {
    let reasoning = raw.pointer("/choices/0/message/reasoning_content");
    let reasoning = reasoning.and_then(Value::as_str);
    reasoning.is_some_and(|text| !text.trim().is_empty())
}

/// Marks the first call by a signature without values, so that the reasoning is sent back to this provider.
fn seal(kind: ProviderKind, calls: &mut [NativeToolCall]) {
    if let Some(first) = calls.first_mut() {
        first.signature.get_or_insert_with(|| CallSignature {
            provider: kind,
            values: Vec::new(),
        });
    }
}

/// Returns the error or refusal in a response with status 200.
pub(super) fn in_disguise(raw: &Value) -> Option<CallError> {
    if raw.get("error").is_some_and(http_error::is_error) || raw["object"] == "error" {
        return Some(http_error::from_body(raw));
    }
    let refusal = raw
        .pointer("/choices/0/message/refusal")
        .and_then(Value::as_str);
    if let Some(refusal) = refusal.filter(|text| !text.is_empty()) {
        return Some(CallError::new(
            ErrorClass::Refused,
            format!("the model refused: {refusal}"),
        ));
    }
    // In OpenAI's Responses API, each item has parts.
    let items = raw.get("output").and_then(Value::as_array);
    let parts = items
        .into_iter()
        .flatten()
        .filter_map(|item| item.get("content")?.as_array());
    let refusal = parts
        .flatten()
        .find_map(|part| part.get("refusal")?.as_str());
    if let Some(refusal) = refusal {
        return Some(CallError::new(
            ErrorClass::Refused,
            format!("the model refused: {refusal}"),
        ));
    }
    let blocked = raw
        .pointer("/promptFeedback/blockReason")
        .and_then(Value::as_str);
    if let Some(blocked) = blocked {
        return Some(CallError::new(
            ErrorClass::Refused,
            format!("the prompt was blocked ({blocked})"),
        ));
    }
    // Gemini counted the prompt's tokens but returned no candidate.
    let silent = raw.get("usageMetadata").is_some() && raw.get("candidates").is_none();
    silent.then(|| CallError::new(ErrorClass::Empty, "the answer holds no candidate"))
}

fn text_of(content: &MessageContent) -> String {
    content.joined_texts().unwrap_or_default()
}

fn tool_calls(kind: ProviderKind, content: MessageContent) -> Vec<NativeToolCall> {
    let mut seen = HashSet::new();
    content
        .into_tool_calls()
        .into_iter()
        .enumerate()
        .map(
            |(
                index,
                ToolCall {
                    call_id,
                    fn_name,
                    fn_arguments,
                    thought_signatures,
                },
            )| {
                // Some servers return no ids, or the same id for all calls. Results could then not be assigned to
                // calls.
                let id = if call_id.is_empty() || seen.contains(&call_id) {
                    format!("call_{index}")
                } else {
                    call_id
                };
                seen.insert(id.clone());
                NativeToolCall {
                    id,
                    name: compat::read_name(kind, fn_name),
                    arguments: storable_json(fn_arguments),
                    signature: thought_signatures.map(|values| CallSignature {
                        provider: kind,
                        values,
                    }),
                }
            },
        )
        .collect()
}

fn usage(usage: &Usage) -> Option<TokenUsage> {
    let count = |tokens: Option<i32>| i64::from(tokens.unwrap_or(0).max(0));
    if usage.prompt_tokens.is_none() && usage.completion_tokens.is_none() {
        return None;
    }
    Some(TokenUsage {
        input_tokens: count(usage.prompt_tokens),
        output_tokens: count(usage.completion_tokens),
        cached_tokens: count(
            usage
                .prompt_tokens_details
                .as_ref()
                .and_then(|d| d.cached_tokens),
        ),
        cache_write_tokens: count(
            usage
                .prompt_tokens_details
                .as_ref()
                .and_then(|d| d.cache_creation_tokens),
        ),
        reasoning_tokens: count(
            usage
                .completion_tokens_details
                .as_ref()
                .and_then(|d| d.reasoning_tokens),
        ),
    })
}

fn stop_reason(stop: Option<&Stop>, calls_tools: bool) -> StopReason {
    match stop {
        // Gemini and Ollama report this reason for tool calls, too.
        Some(Stop::Completed(_)) if calls_tools => StopReason::ToolCalls,
        Some(Stop::Completed(_)) => StopReason::Completed,
        Some(Stop::ToolCall(_)) => StopReason::ToolCalls,
        Some(Stop::MaxTokens(_)) => StopReason::MaxTokens,
        Some(Stop::StopSequence(_)) => StopReason::StopSequence,
        Some(Stop::ContentFilter(_) | Stop::Other(_)) | None => StopReason::Other,
    }
}
