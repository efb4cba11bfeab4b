//! An interaction as the API shows it. Common values are fields; values of one kind are in `details`.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_model::{ExecutionId, InteractionId};
use tarsy_store::history::{LlmRecord, McpRecord};
use utoipa::ToSchema;

/// A model call, tool call or tool list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Interaction {
    #[schema(value_type = Uuid)]
    pub(crate) interaction_id: InteractionId,
    /// Same as `interaction_id`.
    #[schema(value_type = Uuid)]
    pub(crate) id: InteractionId,
    /// Same as `interaction_id`.
    #[schema(value_type = Uuid)]
    pub(crate) event_id: InteractionId,
    pub(crate) timestamp_us: i64,
    /// Human-readable description, e.g. `Iteration 2: ask model`.
    pub(crate) step_description: String,
    /// Duration in milliseconds; null while the call runs, and if its process died.
    pub(crate) duration_ms: Option<i64>,
    #[schema(value_type = Uuid)]
    pub(crate) stage_execution_id: ExecutionId,
    /// Position within the stage execution, from 0.
    pub(crate) sequence: i32,
    pub(crate) iteration: i32,
    /// `llm` or `mcp`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Whether the call succeeded; null if this is not known (yet).
    pub(crate) success: Option<bool>,
    pub(crate) error_message: Option<String>,
    /// Values that only this kind of interaction has.
    #[schema(value_type = Object)]
    pub(crate) details: Value,
}

/// Messages that are shown with a model call.
pub(super) enum ShownMessages {
    /// As `messages`: the conversation up to and including the call's answer.
    All(Vec<Value>),
    /// As `new_messages`: the messages that no earlier call had, without the call's answer.
    New,
    /// Nothing.
    None,
}

impl Interaction {
    pub(super) fn of_llm(record: LlmRecord, shown: ShownMessages) -> Self {
        let total = record
            .input_tokens
            .zip(record.output_tokens)
            .map(|(input, output)| input + output);
        let mut details = object([
            ("provider", record.provider.into()),
            ("model_name", record.model_name.into()),
            ("answered_by", record.answered_by.into()),
            ("temperature", record.temperature.into()),
            ("purpose", record.purpose.into()),
            ("success", record.success.into()),
            ("error_class", record.error_class.into()),
            ("error_message", record.error_message.clone().into()),
            ("input_tokens", record.input_tokens.into()),
            ("output_tokens", record.output_tokens.into()),
            ("total_tokens", total.into()),
            ("cached_tokens", record.cached_tokens.into()),
            ("cache_write_tokens", record.cache_write_tokens.into()),
            ("reasoning_tokens", record.reasoning_tokens.into()),
            ("finish_reason", record.finish_reason.into()),
            ("cost_usd", record.cost_usd.into()),
            ("response_text", record.response_text.into()),
            ("thinking", record.thinking.into()),
            ("tool_calls", record.tool_calls.into()),
        ]);
        match shown {
            ShownMessages::All(messages) => details["messages"] = messages.into(),
            ShownMessages::New => details["new_messages"] = record.new_messages,
            ShownMessages::None => {}
        }
        Self {
            interaction_id: record.interaction_id,
            id: record.interaction_id,
            event_id: record.interaction_id,
            timestamp_us: record.timestamp_us,
            step_description: record.step_description,
            duration_ms: record.duration_ms,
            stage_execution_id: record.stage_execution_id,
            sequence: record.sequence,
            iteration: record.iteration,
            kind: "llm",
            success: record.success,
            error_message: record.error_message,
            details,
        }
    }

    /// Converts a model call, with the messages that are new in it.
    pub(crate) fn of_new_llm(record: LlmRecord) -> Self {
        Self::of_llm(record, ShownMessages::New)
    }

    /// Converts a tool call or tool list.
    pub(crate) fn of_mcp(record: McpRecord) -> Self {
        Self {
            interaction_id: record.interaction_id,
            id: record.interaction_id,
            event_id: record.interaction_id,
            timestamp_us: record.timestamp_us,
            step_description: record.step_description,
            duration_ms: record.duration_ms,
            stage_execution_id: record.stage_execution_id,
            sequence: record.sequence,
            iteration: record.iteration,
            kind: "mcp",
            success: record.success,
            error_message: record.error_message.clone(),
            details: object([
                ("server_name", record.server_name.into()),
                ("communication_type", record.communication_type.into()),
                ("tool_name", record.tool_name.into()),
                ("parameters", record.tool_arguments.into()),
                ("result", record.tool_result.into()),
                ("available_tools", record.available_tools.into()),
                ("effect", record.effect.into()),
                ("success", record.success.into()),
                ("refused", record.refused.into()),
                ("truncated", record.truncated.into()),
                ("masked_kinds", record.masked_kinds.into()),
                ("error_message", record.error_message.into()),
            ]),
        }
    }
}

/// Builds an object from values that are moved into it. `json!` would copy each text, and there are many.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let named = members.map(|(name, value)| (name.to_owned(), value));
    Value::Object(Map::from_iter(named))
}
