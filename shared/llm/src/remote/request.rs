//! Converts a conversation to a `genai` request.

use std::collections::HashMap;

use genai::Headers;
use genai::chat::{
    CacheControl, ChatMessage as Sent, ChatOptions, ChatRequest as SentRequest, ChatRole,
    ContentPart, MessageContent, ReasoningEffort as SentEffort, Tool, ToolCall, ToolChoice,
    ToolResponse,
};
use serde_json::Value;

use super::compat;
use crate::{
    ChatMessage, ChatRequest, NativeToolCall, ProviderKind, ProviderSettings, ReasoningEffort, Role,
};

/// Options of one call.
pub(super) fn options(
    settings: &ProviderSettings,
    request: &ChatRequest,
    thoughts: bool,
) -> ChatOptions {
    let mut options = ChatOptions::default()
        // The raw body tells refusals and errors in disguise from answers.
        .with_capture_raw_body(true)
        .with_normalize_reasoning_content(true);
    options.temperature = request.temperature.or(settings.temperature);
    options.max_tokens = request.max_tokens.or(settings.max_tokens);
    if settings.kind == ProviderKind::Gemini && thoughts {
        options.capture_reasoning_content = Some(true);
    }
    let effort = settings.reasoning_effort.map(ReasoningEffort::as_str);
    options.reasoning_effort = effort.and_then(SentEffort::from_keyword);
    if request.forbid_tools && offers_tools(settings.kind, request) {
        options.tool_choice = Some(ToolChoice::None);
    }
    if !request.request_id.is_empty() {
        options.extra_headers = Some(Headers::from((
            "X-Client-Request-Id",
            request.request_id.as_str(),
        )));
    }
    options
}

/// Ollama cannot be told to call no tool, so it is offered none then.
fn offers_tools(kind: ProviderKind, request: &ChatRequest) -> bool {
    let cannot_forbid = kind == ProviderKind::Ollama;
    !request.tools.is_empty() && (!request.forbid_tools || !cannot_forbid)
}

/// The conversation and the tools.
pub(super) fn conversation(kind: ProviderKind, request: &ChatRequest) -> SentRequest {
    let mut tool_of_call: HashMap<&str, &str> = HashMap::new();
    let mut sent: Vec<Sent> = Vec::new();
    let mut answers: Vec<ToolResponse> = Vec::new();
    for message in &request.messages {
        for call in &message.tool_calls {
            tool_of_call.insert(&call.id, &call.name);
        }
        if message.role == Role::Tool {
            let id = message.tool_call_id.clone().unwrap_or_default();
            let mut answer = ToolResponse::new(id, message.content.clone());
            answer.fn_name = tool_of_call
                .get(answer.call_id.as_str())
                .map(|name| compat::sent_name(kind, name));
            answers.push(answer);
            continue;
        }
        flush_answers(kind, &mut answers, &mut sent);
        match message.role {
            Role::System => sent.push(Sent::system(message.content.clone())),
            Role::User => sent.push(Sent::user(message.content.clone())),
            Role::Assistant => sent.extend(assistant(kind, message)),
            Role::Tool => {}
        }
    }
    flush_answers(kind, &mut answers, &mut sent);
    if kind == ProviderKind::Anthropic {
        mark_for_cache(&mut sent);
    }
    let mut chat = SentRequest::new(sent);
    if offers_tools(kind, request) {
        let tools = request.tools.iter().take(compat::most_tools(kind));
        chat = chat.with_tools(tools.map(|tool| {
            Tool::new(compat::sent_name(kind, &tool.name))
                .with_description(compat::short_enough(kind, &tool.description))
                .with_schema(sorted(&compat::adapted(kind, &tool.schema)))
        }));
    }
    chat
}

/// Have Anthropic keep what does not change: the tools with the instructions, the first question,
/// and the conversation so far, which is the beginning of the next one. The other providers keep
/// what they see of themselves.
fn mark_for_cache(sent: &mut [Sent]) {
    let last = sent.len().saturating_sub(1);
    let first_question = sent
        .iter()
        .position(|message| message.role == ChatRole::User);
    for (at, message) in sent.iter_mut().enumerate() {
        if message.role == ChatRole::System || Some(at) == first_question || at == last {
            message.options = Some(CacheControl::Ephemeral.into());
        }
    }
}

/// The same value with the keys of its objects in order. What was stored as `jsonb` comes back in
/// another order than it went; a conversation that is resumed must begin with the same bytes.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

/// Anthropic wants the results of parallel calls in one message, the others one each.
fn flush_answers(kind: ProviderKind, answers: &mut Vec<ToolResponse>, sent: &mut Vec<Sent>) {
    if kind == ProviderKind::Anthropic {
        if !answers.is_empty() {
            sent.push(Sent::from(std::mem::take(answers)));
        }
    } else {
        sent.extend(answers.drain(..).map(Sent::from));
    }
}

/// `None` for a turn that holds nothing: providers refuse empty messages.
fn assistant(kind: ProviderKind, message: &ChatMessage) -> Option<Sent> {
    let mut parts = Vec::new();
    let mut calls: Vec<ToolCall> = message
        .tool_calls
        .iter()
        .map(|call| tool_call(kind, call))
        .collect();
    if kind == ProviderKind::Anthropic {
        // Anthropic takes thinking back only with its one signature; else it goes without.
        let mut signatures: Vec<String> = calls
            .iter_mut()
            .filter_map(|call| call.thought_signatures.take())
            .flatten()
            .collect();
        if let (Some(thinking), 1) = (&message.thinking, signatures.len()) {
            parts.extend(signatures.pop().map(ContentPart::ThoughtSignature));
            parts.push(ContentPart::ReasoningContent(thinking.clone()));
        }
    }
    // DeepSeek and Kimi refuse calls without the reasoning that came with them.
    let goes_back = message.tool_calls.iter().any(|call| {
        let signature = call.signature.as_ref();
        signature.is_some_and(|signature| signature.provider == kind && signature.values.is_empty())
    });
    if let Some(thinking) = message.thinking.as_ref().filter(|_| goes_back) {
        parts.push(ContentPart::ReasoningContent(thinking.clone()));
    }
    // Anthropic refuses a block of white space alone.
    if !message.content.trim().is_empty() {
        parts.push(ContentPart::Text(message.content.clone()));
    }
    parts.extend(calls.into_iter().map(ContentPart::ToolCall));
    (!parts.is_empty()).then(|| Sent::assistant(MessageContent::from_parts(parts)))
}

fn tool_call(kind: ProviderKind, call: &NativeToolCall) -> ToolCall {
    ToolCall {
        call_id: call.id.clone(),
        fn_name: compat::sent_name(kind, &call.name),
        fn_arguments: match &call.arguments {
            Value::Null => Value::Object(serde_json::Map::new()),
            arguments => sorted(arguments),
        },
        thought_signatures: call
            .signature
            .as_ref()
            .filter(|signature| signature.provider == kind && !signature.values.is_empty())
            .map(|signature| signature.values.clone()),
    }
}
