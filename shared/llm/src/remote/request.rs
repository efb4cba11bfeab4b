//! Converts a conversation to a `genai` request.

use std::collections::HashMap;

use genai::Headers;
use genai::chat::{
    CacheControl, ChatMessage as Sent, ChatOptions, ChatRequest as SentRequest, ChatRole,
    ContentPart, JsonSpec, MessageContent, ReasoningEffort as SentEffort, Tool, ToolCall,
    ToolChoice, ToolResponse,
};
use serde_json::Value;

use super::compat;
use crate::{
    ChatMessage, ChatRequest, NativeToolCall, ProviderKind, ProviderSettings, ReasoningEffort,
    Role, ToolSpec,
};

/// Returns the options of one call.
pub(super) fn options(
    settings: &ProviderSettings,
    kind: ProviderKind,
    request: &ChatRequest,
    thoughts: bool,
) -> ChatOptions {
    let mut options = ChatOptions::default()
        // The raw body shows refusals and errors in responses with status 200.
        .with_capture_raw_body(true)
        .with_normalize_reasoning_content(true);
    options.temperature = request.temperature.or(settings.temperature);
    options.max_tokens = request.max_tokens.or(settings.max_tokens);
    let shows_thoughts = matches!(kind, ProviderKind::Gemini | ProviderKind::OpenAiResponses);
    if shows_thoughts && thoughts {
        options.capture_reasoning_content = Some(true);
    }
    let effort = request.reasoning_effort.or(settings.reasoning_effort);
    let effort = effort.map(ReasoningEffort::as_str);
    options.reasoning_effort = effort.and_then(SentEffort::from_keyword);
    options.stop_sequences.clone_from(&request.stop_sequences);
    if let Some(schema) = &request.response_schema
        && kind != ProviderKind::Ollama
    {
        options.response_format = Some(JsonSpec::new("step", schema.clone()).into());
    }
    if request.forbid_tools && offers_tools(kind, request) {
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

/// Whether tools are offered. Ollama and Bedrock have no way to forbid tool calls, so they get no tools if calls are
/// forbidden. Bedrock still gets them if the conversation has calls, because it refuses calls without tools.
fn offers_tools(kind: ProviderKind, request: &ChatRequest) -> bool {
    let cannot_forbid = match kind {
        ProviderKind::Ollama => true,
        ProviderKind::Bedrock => request.messages.iter().all(|m| m.tool_calls.is_empty()),
        _ => false,
    };
    !request.tools.is_empty() && (!request.forbid_tools || !cannot_forbid)
}

/// Whether the provider expects the results of parallel calls in one message, and thinking with its signature.
fn is_like_anthropic(kind: ProviderKind) -> bool {
    matches!(kind, ProviderKind::Anthropic | ProviderKind::Bedrock)
}

/// Converts the conversation and the offered tools.
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
            let content = match kind == ProviderKind::Bedrock && message.content.trim().is_empty() {
                // Bedrock refuses a block without text.
                true => "(empty)".to_owned(),
                false => message.content.clone(),
            };
            let mut answer = ToolResponse::new(id, content);
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
        let most = kind.most_tools().unwrap_or(usize::MAX);
        let tools = request.tools.iter().take(most);
        chat = chat.with_tools(tools.map(|tool| offered(kind, tool)));
    }
    chat
}

fn offered(kind: ProviderKind, tool: &ToolSpec) -> Tool {
    let mut offered = Tool::new(compat::sent_name(kind, &tool.name))
        .with_schema(sorted(&compat::adapted(kind, &tool.schema)));
    // Bedrock refuses an empty description.
    if kind != ProviderKind::Bedrock || !tool.description.trim().is_empty() {
        offered = offered.with_description(compat::short_enough(kind, &tool.description));
    }
    if kind == ProviderKind::OpenAiResponses {
        // Otherwise optional arguments may become required.
        offered.strict = Some(false);
    }
    offered
}

/// Marks what Anthropic caches: the tools with the instructions, the first question, and the conversation so far, with
/// which the next request begins. The other providers decide themselves what they cache.
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

/// Returns the value with the keys of its objects sorted. A value stored as `jsonb` comes back with its keys in another
/// order, but a resumed conversation must begin with the same bytes.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

/// Adds the collected tool results. Anthropic and Bedrock expect the results of parallel calls in one message, the
/// others in one message each.
fn flush_answers(kind: ProviderKind, answers: &mut Vec<ToolResponse>, sent: &mut Vec<Sent>) {
    if is_like_anthropic(kind) {
        if !answers.is_empty() {
            sent.push(Sent::from(std::mem::take(answers)));
        }
    } else {
        sent.extend(answers.drain(..).map(Sent::from));
    }
}

/// Converts a turn of the model. `None` if it is empty, because providers refuse empty messages.
fn assistant(kind: ProviderKind, message: &ChatMessage) -> Option<Sent> {
    let mut parts = Vec::new();
    let mut calls: Vec<ToolCall> = message
        .tool_calls
        .iter()
        .map(|call| tool_call(kind, call))
        .collect();
    // On Bedrock, the thoughts of OpenAI's models are a signature without text, which goes back with its call.
    let has_thoughts = kind == ProviderKind::Anthropic || message.thinking.is_some();
    if is_like_anthropic(kind) && has_thoughts {
        // Anthropic accepts thinking only with exactly one signature. Otherwise it is left out.
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
    let is_returned = message.tool_calls.iter().any(|call| {
        let signature = call.signature.as_ref();
        signature.is_some_and(|signature| signature.provider == kind && signature.values.is_empty())
    });
    if let Some(thinking) = message.thinking.as_ref().filter(|_| is_returned) {
        parts.push(ContentPart::ReasoningContent(thinking.clone()));
    }
    // Anthropic refuses a block of only white space.
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
