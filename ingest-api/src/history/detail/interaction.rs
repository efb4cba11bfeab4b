//! One interaction, as the seeds show it: what is common outside, what is its kind's in `details`.

use serde::Serialize;
use serde_json::{Value, json};
use tarsy_model::{ExecutionId, InteractionId};
use tarsy_store::{LlmRecord, McpRecord};
use utoipa::ToSchema;

/// A model call, tool call or tool list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Interaction {
    #[schema(value_type = Uuid)]
    pub(crate) id: InteractionId,
    /// The same as `id`.
    #[schema(value_type = Uuid)]
    pub(crate) event_id: InteractionId,
    pub(crate) timestamp_us: i64,
    /// For people, e.g. `Iteration 2: ask model`.
    pub(crate) step_description: String,
    /// None while it runs, or when its process died.
    pub(crate) duration_ms: Option<i64>,
    #[schema(value_type = Uuid)]
    pub(crate) stage_execution_id: ExecutionId,
    /// Position within the stage execution, from 0.
    pub(crate) sequence: i32,
    pub(crate) iteration: i32,
    /// `llm` or `mcp`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// None: the outcome is not known (yet).
    pub(crate) success: Option<bool>,
    pub(crate) error_message: Option<String>,
    /// What is particular to its kind.
    #[schema(value_type = Object)]
    pub(crate) details: Value,
}

/// What is shown of the conversation with a model call.
pub(super) enum Said {
    /// As `messages`: up to and with its answer.
    All(Vec<Value>),
    /// As `new_messages`: what no earlier call had, without its answer.
    New(Value),
    /// Nothing.
    Untold,
}

impl Interaction {
    /// A model call.
    pub(super) fn of_llm(record: &LlmRecord, said: Said) -> Self {
        let total = record
            .input_tokens
            .zip(record.output_tokens)
            .map(|(input, output)| input + output);
        let mut details = json!({
            "provider": record.provider,
            "model_name": record.model_name,
            "answered_by": record.answered_by,
            "temperature": record.temperature,
            "purpose": record.purpose,
            "success": record.success,
            "error_class": record.error_class,
            "error_message": record.error_message,
            "input_tokens": record.input_tokens,
            "output_tokens": record.output_tokens,
            "total_tokens": total,
            "cached_tokens": record.cached_tokens,
            "reasoning_tokens": record.reasoning_tokens,
            "cost_usd": record.cost_usd,
            "response_text": record.response_text,
            "thinking": record.thinking,
            "tool_calls": record.tool_calls,
        });
        match said {
            Said::All(messages) => details["messages"] = messages.into(),
            Said::New(messages) => details["new_messages"] = messages,
            Said::Untold => {}
        }
        Self {
            id: record.interaction_id,
            event_id: record.interaction_id,
            timestamp_us: record.timestamp_us,
            step_description: record.step_description.clone(),
            duration_ms: record.duration_ms,
            stage_execution_id: record.stage_execution_id,
            sequence: record.sequence,
            iteration: record.iteration,
            kind: "llm",
            success: record.success,
            error_message: record.error_message.clone(),
            details,
        }
    }

    /// A tool call or tool list.
    pub(crate) fn of_mcp(record: &McpRecord) -> Self {
        Self {
            id: record.interaction_id,
            event_id: record.interaction_id,
            timestamp_us: record.timestamp_us,
            step_description: record.step_description.clone(),
            duration_ms: record.duration_ms,
            stage_execution_id: record.stage_execution_id,
            sequence: record.sequence,
            iteration: record.iteration,
            kind: "mcp",
            success: record.success,
            error_message: record.error_message.clone(),
            details: json!({
                "server_name": record.server_name,
                "communication_type": record.communication_type,
                "tool_name": record.tool_name,
                "parameters": record.tool_arguments,
                "result": record.tool_result,
                "available_tools": record.available_tools,
                "effect": record.effect,
                "success": record.success,
                "refused": record.refused,
                "truncated": record.truncated,
                "masked_kinds": record.masked_kinds,
                "error_message": record.error_message,
            }),
        }
    }
}
