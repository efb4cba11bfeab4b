//! Messages of a conversation, requests and replies.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_model::TokenUsage;
use tokio::time::Instant;

use crate::{AnswerStream, ProviderKind, ReasoningEffort};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The agent: prompts, observations, corrections.
    User,
    /// The model.
    Assistant,
    /// The result of one native tool call.
    Tool,
}

/// One message of a conversation; this is also how it is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// Text; empty for an assistant that only calls tools.
    pub content: String,
    /// Native tool calls of an assistant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<NativeToolCall>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Native reasoning that came with an assistant's tool calls. Sent back only to a provider
    /// that signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
}

impl ChatMessage {
    /// Standing instructions.
    #[must_use]
    pub fn system(content: impl Into<String>) -> Self {
        Self::text(Role::System, content)
    }

    /// A prompt or an observation.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self::text(Role::User, content)
    }

    /// What the model said, without native tool calls.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::text(Role::Assistant, content)
    }

    /// What a native tool call brought.
    #[must_use]
    pub fn tool(tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(tool_call_id.into()),
            ..Self::text(Role::Tool, content)
        }
    }

    fn text(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            thinking: None,
        }
    }
}

/// A tool call in the provider's own format, not in the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeToolCall {
    /// Unique within a reply; the tool message that answers names it.
    pub id: String,
    /// Name of the tool as it was offered.
    pub name: String,
    /// Arguments, an object in well-behaved models. Not checked against the schema.
    pub arguments: Value,
    /// The provider's seal on the thoughts behind the call; goes back with it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<CallSignature>,
}

/// Opaque thought signatures (Gemini, Anthropic). Only the provider that made them takes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSignature {
    /// Who made them.
    pub provider: ProviderKind,
    /// In the order in which they came.
    pub values: Vec<String>,
}

/// A tool that the model may call natively.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64: what every provider accepts.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}

/// Where in an investigation a call is made. Never sent to a provider; scripts match on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallLabels {
    /// Name of the stage.
    pub stage: Option<String>,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Iteration strategy.
    pub strategy: Option<String>,
}

/// One call.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    /// The whole conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools offered natively; empty: none.
    pub tools: Vec<ToolSpec>,
    /// Offer the tools but let the model call none, for a last answer in a conversation that used
    /// them (Anthropic refuses such a conversation when no tools are offered).
    pub forbid_tools: bool,
    /// Sampling temperature; default: the provider's settings.
    pub temperature: Option<f64>,
    /// Longest answer in tokens; default: the provider's settings.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; default: the provider's settings.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the model is asked for its thoughts; default: the provider's settings.
    pub thinking: Option<bool>,
    /// Sent as `X-Client-Request-Id`, so that a call can be found at the provider.
    pub request_id: String,
    /// When the caller stops waiting, whatever the provider's timeout is.
    pub deadline: Option<Instant>,
    /// Where in an investigation the call is made.
    pub labels: CallLabels,
    /// Who sees the answer while it comes.
    pub stream: AnswerStream,
    /// Whether the answer is data that a program reads: nobody is shown its text while it comes.
    pub is_data: bool,
    /// JSON Schema of the answer's text, for providers that enforce one ([`crate::ChatModel::enforces_schemas`]).
    pub response_schema: Option<Value>,
    /// Texts at which the answer ends; a provider that knows none is asked without.
    pub stop_sequences: Vec<String>,
    /// The question with which the form of the replies changes; counted.
    pub form_change: Option<FormChange>,
}

/// A change of the form in which a model is asked to reply, as words for a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormChange {
    /// The form whose replies could not be read.
    pub from: &'static str,
    /// The form from now on.
    pub to: &'static str,
}

impl ChatRequest {
    /// How often the model has spoken in this conversation.
    #[must_use]
    pub fn assistant_turns(&self) -> usize {
        self.messages
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .count()
    }
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    Completed,
    /// It waits for tools.
    ToolCalls,
    /// The answer is cut: it reached the longest allowed.
    MaxTokens,
    /// A stop sequence.
    StopSequence,
    /// The provider said something else, or nothing.
    Other,
}

/// What the model answered: text, tool calls, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The answer's text; may be empty when there are tool calls.
    pub text: String,
    /// Native reasoning, where the provider returns it.
    pub thinking: Option<String>,
    /// Native tool calls, in the model's order.
    pub tool_calls: Vec<NativeToolCall>,
    /// Tokens, where the provider counts them.
    pub usage: Option<TokenUsage>,
    /// The model that answered, as the provider names it.
    pub model_name: String,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

impl StopReason {
    /// The word in records, e.g. `max_tokens`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::ToolCalls => "tool_calls",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::Other => "other",
        }
    }
}

impl ChatReply {
    /// The reply as the next message of its conversation.
    #[must_use]
    pub fn to_message(&self) -> ChatMessage {
        ChatMessage {
            tool_calls: self.tool_calls.clone(),
            // Reasoning is part of the conversation only as far as a signature covers it.
            thinking: self
                .thinking
                .clone()
                .filter(|_| self.tool_calls.iter().any(|call| call.signature.is_some())),
            ..ChatMessage::assistant(self.text.clone())
        }
    }
}
