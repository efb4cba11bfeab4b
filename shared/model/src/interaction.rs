//! Records of LLM and MCP interactions.
//!
//! Each interaction is written twice: the intent before the call and the result after it. A row without a result is a
//! call whose outcome is unknown.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::status::words;
use crate::{InteractionId, TokenUsage, UnixMicros};

/// Purpose of a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LlmPurpose {
    /// One iteration of the strategy.
    Iteration,
    /// The last call without tools, at a limit.
    ForcedConclusion,
    /// The single call of `react-final-analysis`.
    FinalAnalysis,
    /// The call after a conclusion, for its structured output.
    StructuredOutput,
    /// A call of the summary provider, for a long tool result.
    ResultSummary,
}

words!(LlmPurpose {
    Iteration => "iteration",
    ForcedConclusion => "forced_conclusion",
    FinalAnalysis => "final_analysis",
    StructuredOutput => "structured_output",
    ResultSummary => "result_summary",
});

/// A model call about to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LlmIntent {
    /// Id of the row, and of the call at the provider if it takes a request id.
    pub interaction_id: InteractionId,
    /// Position among all interactions of the stage execution, from 0, without gaps.
    pub sequence: i32,
    /// Iteration of the strategy, from 1.
    pub iteration: i32,
    /// Purpose of the call.
    pub purpose: LlmPurpose,
    /// Configured provider name, e.g. `gemini`.
    pub provider: String,
    /// Model name as sent.
    pub model_name: String,
    /// Sampling temperature as sent.
    pub temperature: Option<f64>,
    /// Messages that were not part of an earlier interaction of this stage execution, as `[{"role", "content", ..}]`.
    /// All of them in order of `sequence` are the whole conversation.
    pub new_messages: Value,
    /// Description for people, e.g. `ReAct iteration 2`.
    pub step_description: String,
}

/// Result of a model call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LlmResult {
    /// Whether the model gave a usable answer.
    pub success: bool,
    /// The answer's text.
    pub response_text: Option<String>,
    /// Native reasoning content, if the provider returns it.
    pub thinking: Option<String>,
    /// Native tool calls: `[{"id", "name", "arguments"}]`.
    pub tool_calls: Option<Value>,
    /// Token counts, if the provider reports them.
    pub usage: Option<TokenUsage>,
    /// Estimated cost in dollars, if there is a price.
    pub cost_usd: Option<f64>,
    /// Date of the price catalogue used for the cost; `None`: the operator's own price, or no cost.
    #[serde(default)]
    pub price_as_of: Option<String>,
    /// Wall time of the call.
    pub duration_ms: i64,
    /// Reason why the model stopped, e.g. `max_tokens`; `None`: no answer, or a row of an older version.
    #[serde(default)]
    pub finish_reason: Option<String>,
    /// Error class, e.g. `rate_limited`; see docs/AGENTS.md.
    pub error_class: Option<String>,
    /// Error message, without secrets.
    pub error_message: Option<String>,
    /// Provider and model that really answered, if a fallback did.
    pub answered_by: Option<String>,
    /// Every attempt of this call, if there was more than one:
    /// `[{"provider", "model", "class", "message", "duration_ms"}]`.
    pub attempts: Option<Value>,
    /// Number of secrets of each kind that were masked before text, reasoning and arguments were stored:
    /// `{"api_key": 2}`. `None`: they are stored exactly as the model wrote them.
    #[serde(default)]
    pub masked_kinds: Option<Value>,
}

/// Kind of MCP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommunicationType {
    /// The list of tools that an agent was given.
    ToolList,
    /// One tool call.
    ToolCall,
}

words!(CommunicationType {
    ToolList => "tool_list",
    ToolCall => "tool_call",
});

/// Side effect of a tool. It decides whether a call may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing, so it may be repeated.
    ReadOnly,
    /// Changes something, but a repetition changes nothing more. So it may be repeated.
    Idempotent,
    /// Any other effect. Never repeated if the outcome is unknown; not available unless allowed.
    Destructive,
}

words!(EffectClass {
    ReadOnly => "read_only",
    Idempotent => "idempotent",
    Destructive => "destructive",
});

impl EffectClass {
    /// Whether a call whose outcome is unknown may be made again.
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Idempotent)
    }
}

/// A tool call (or tool listing) about to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct McpIntent {
    /// Id of the row and of the call.
    pub interaction_id: InteractionId,
    /// Position among all interactions of the stage execution, from 0, without gaps.
    pub sequence: i32,
    /// Iteration of the strategy, from 1; 0 for the tool list.
    pub iteration: i32,
    /// Kind of message.
    pub communication_type: CommunicationType,
    /// Configured server id.
    pub server_name: String,
    /// Name of the tool, for a tool call.
    pub tool_name: Option<String>,
    /// Arguments as the model gave them, masked.
    pub tool_arguments: Option<Value>,
    /// Id of the native tool call that this answers, for the `regular` strategy.
    pub tool_call_id: Option<String>,
    /// Side effect of the tool, as far as it is known.
    pub effect: EffectClass,
    /// Description for people.
    pub step_description: String,
}

/// Result of a tool call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct McpResult {
    /// Whether the tool answered without an error.
    pub success: bool,
    /// The masked, bounded answer that the model sees.
    pub tool_result: Option<Value>,
    /// Tools offered, for a tool list.
    pub available_tools: Option<Value>,
    /// Wall time of the call.
    pub duration_ms: i64,
    /// Error message, masked.
    pub error_message: Option<String>,
    /// Whether the call was refused before it was sent (tool not available to the agent, bad arguments, ..).
    pub refused: bool,
    /// Number of secrets of each kind that were masked: `{"api_key": 2}`.
    pub masked_kinds: Option<Value>,
    /// Whether the answer was cut. The model can read the rest in pages.
    pub truncated: bool,
}

/// A recorded model call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedLlm {
    /// The request.
    pub intent: LlmIntent,
    /// The response; `None`: outcome unknown.
    pub result: Option<LlmResult>,
    /// Time of the request.
    pub timestamp_us: UnixMicros,
}

/// A recorded tool call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedMcp {
    /// The request.
    pub intent: McpIntent,
    /// The response; `None`: outcome unknown.
    pub result: Option<McpResult>,
    /// Time of the request.
    pub timestamp_us: UnixMicros,
    /// Id of the task at the MCP server that runs the call (MCP 2026-07-28), if the call became one.
    #[serde(default)]
    pub task_id: Option<String>,
}

/// One entry of a stage execution's record, in the order of its sequence.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordedInteraction {
    /// A model call.
    Llm(RecordedLlm),
    /// A tool call or tool list.
    Mcp(RecordedMcp),
}

impl RecordedInteraction {
    /// Position among all interactions of the stage execution.
    #[must_use]
    pub const fn sequence(&self) -> i32 {
        match self {
            Self::Llm(llm) => llm.intent.sequence,
            Self::Mcp(mcp) => mcp.intent.sequence,
        }
    }
}
