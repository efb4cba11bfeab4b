//! Messages of a conversation, requests and replies.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_model::{TokenUsage, words};
use tokio::time::Instant;

use crate::{AnswerStream, ProviderKind, ReasoningEffort};

/// Author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions that apply to the whole conversation.
    System,
    /// The agent: prompts, observations, corrections.
    User,
    /// The model.
    Assistant,
    /// The result of one native tool call.
    Tool,
}

/// One message of a conversation. Recorded in this form, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Author of the message.
    pub role: Role,
    /// Text; empty for an assistant that only calls tools.
    pub content: String,
    /// Native tool calls; only assistants have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<NativeToolCall>,
    /// Id of the call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Native reasoning that came with an assistant's tool calls. Sent back only to a provider
    /// that signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
}

impl ChatMessage {
    /// Creates a message with instructions for the whole conversation.
    #[must_use]
    pub fn system(content: impl Into<String>) -> Self {
        Self::text(Role::System, content)
    }

    /// Creates a message with a prompt or an observation.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self::text(Role::User, content)
    }

    /// Creates a message with the model's text, without native tool calls.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::text(Role::Assistant, content)
    }

    /// Creates a message with the result of a native tool call.
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
    /// Unique within a reply. The tool message with the result refers to it.
    pub id: String,
    /// Name of the tool as it was offered.
    pub name: String,
    /// Arguments: an object if the model follows the format. Not checked against the schema.
    pub arguments: Value,
    /// The provider's signature of the thoughts that led to the call. Sent back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<CallSignature>,
}

/// Opaque thought signatures (Gemini, Anthropic). Only the provider that made them accepts them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSignature {
    /// Provider that made the signatures.
    pub provider: ProviderKind,
    /// Signatures in the order in which they arrived.
    pub values: Vec<String>,
}

/// A tool that the model may call natively.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64 characters. Every provider accepts such names.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}

/// Position of a call in an investigation. Never sent to a provider; scripts match on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallLabels {
    /// Name of the stage.
    pub stage: Option<String>,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Iteration strategy.
    pub strategy: Option<String>,
}

/// One call of a model.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    /// The whole conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Tools offered natively; empty: none.
    pub tools: Vec<ToolSpec>,
    /// Offers the tools but forbids calling them, for a last answer in a conversation that used them. Anthropic refuses
    /// such a conversation if no tools are offered.
    pub forbid_tools: bool,
    /// Sampling temperature; default: the provider's settings.
    pub temperature: Option<f64>,
    /// Longest answer in tokens; default: the provider's settings.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; default: the provider's settings.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether to ask the model for its thoughts; default: the provider's settings.
    pub thinking: Option<bool>,
    /// Sent as `X-Client-Request-Id`, so that the call can be found in the provider's logs.
    pub request_id: String,
    /// Time at which the caller stops waiting, even if the provider's timeout is later.
    pub deadline: Option<Instant>,
    /// Position of the call in an investigation.
    pub labels: CallLabels,
    /// Observer of the answer while it arrives.
    pub stream: AnswerStream,
    /// Whether the answer is data for a program. Its text is then not shown while it arrives.
    pub is_data: bool,
    /// JSON Schema for the answer's text. Used by providers that enforce one ([`crate::ChatModel::enforces_schemas`]).
    pub response_schema: Option<Value>,
    /// Texts at which the answer ends. A provider without stop sequences is asked without them.
    pub stop_sequences: Vec<String>,
    /// Set if the reply form changes with this question. Counted in a metric.
    pub form_change: Option<FormChange>,
}

/// A change of the form in which a model is asked to reply. The names are labels of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormChange {
    /// The form whose replies could not be read.
    pub from: &'static str,
    /// The form used from now on.
    pub to: &'static str,
}

impl ChatRequest {
    /// Returns how many messages of the conversation are the model's.
    #[must_use]
    pub fn assistant_turns(&self) -> usize {
        self.messages
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .count()
    }
}

/// Reason why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    Completed,
    /// The model waits for tool results.
    ToolCalls,
    /// The answer reached the length limit and is cut.
    MaxTokens,
    /// The model reached a stop sequence.
    StopSequence,
    /// The provider reported another reason, or none.
    Other,
}

/// The model's answer: text, tool calls, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The answer's text; may be empty when there are tool calls.
    pub text: String,
    /// Native reasoning, where the provider returns it.
    pub thinking: Option<String>,
    /// Native tool calls, in the model's order.
    pub tool_calls: Vec<NativeToolCall>,
    /// Token counts, if the provider reports them.
    pub usage: Option<TokenUsage>,
    /// The model that answered, as the provider names it.
    pub model_name: String,
    /// Reason why the model stopped.
    pub stop_reason: StopReason,
}

words!(StopReason {
    Completed => "completed",
    ToolCalls => "tool_calls",
    MaxTokens => "max_tokens",
    StopSequence => "stop_sequence",
    Other => "other",
});

impl ChatReply {
    /// Converts the reply to the next message of its conversation.
    #[must_use]
    pub fn to_message(&self) -> ChatMessage {
        ChatMessage {
            tool_calls: self.tool_calls.clone(),
            // Keep reasoning in the conversation only if a signature covers it.
            thinking: self
                .thinking
                .clone()
                .filter(|_| self.tool_calls.iter().any(|call| call.signature.is_some())),
            ..ChatMessage::assistant(self.text.clone())
        }
    }
}
