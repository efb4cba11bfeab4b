//! Reads the recorded interactions of a stage execution.

use sqlx::PgConnection;
use tarsy_model::{
    CommunicationType, EffectClass, ExecutionId, InteractionId, LlmIntent, LlmPurpose, LlmResult,
    McpIntent, McpResult, RecordedInteraction, RecordedLlm, RecordedMcp, TokenUsage, UnixMicros,
};

use crate::Error;

/// Reads the interactions of a stage execution, in order.
pub async fn load_records(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
) -> Result<Vec<RecordedInteraction>, Error> {
    let llm = sqlx::query!(
        r#"select interaction_id as "interaction_id: InteractionId", sequence, iteration, purpose,
               timestamp_us as "timestamp_us: UnixMicros", duration_ms, provider, model_name, temperature, new_messages,
               response_text, thinking, tool_calls, input_tokens, output_tokens, cached_tokens, reasoning_tokens,
               cache_write_tokens, finish_reason, cost_usd, price_as_of, answered_by, attempts, masked_kinds, success, error_class, error_message, step_description
           from llm_interactions where stage_execution_id = $1 order by sequence"#,
        execution_id.as_uuid(),
    )
    .fetch_all(&mut *conn)
    .await?;
    let mcp = sqlx::query!(
        r#"select interaction_id as "interaction_id: InteractionId", sequence, iteration,
               timestamp_us as "timestamp_us: UnixMicros", duration_ms, server_name, communication_type, tool_name,
               tool_arguments, tool_call_id, tool_result, available_tools, effect, success, refused, truncated,
               masked_kinds, error_message, step_description, task_id
           from mcp_interactions where stage_execution_id = $1 order by sequence"#,
        execution_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;

    let mut records: Vec<RecordedInteraction> = llm
        .into_iter()
        .map(|r| {
            RecordedInteraction::Llm(RecordedLlm {
                timestamp_us: r.timestamp_us,
                result: r.success.map(|success| LlmResult {
                    success,
                    response_text: r.response_text,
                    thinking: r.thinking,
                    tool_calls: r.tool_calls,
                    usage: r.input_tokens.zip(r.output_tokens).map(
                        |(input_tokens, output_tokens)| TokenUsage {
                            input_tokens,
                            output_tokens,
                            cached_tokens: r.cached_tokens.unwrap_or(0),
                            cache_write_tokens: r.cache_write_tokens.unwrap_or(0),
                            reasoning_tokens: r.reasoning_tokens.unwrap_or(0),
                        },
                    ),
                    cost_usd: r.cost_usd,
                    price_as_of: r.price_as_of,
                    duration_ms: r.duration_ms.unwrap_or(0),
                    finish_reason: r.finish_reason,
                    error_class: r.error_class,
                    error_message: r.error_message,
                    answered_by: r.answered_by,
                    attempts: r.attempts,
                    masked_kinds: r.masked_kinds,
                }),
                intent: LlmIntent {
                    interaction_id: r.interaction_id,
                    sequence: r.sequence,
                    iteration: r.iteration,
                    purpose: LlmPurpose::from_word(&r.purpose).unwrap_or(LlmPurpose::Iteration),
                    provider: r.provider,
                    model_name: r.model_name,
                    temperature: r.temperature,
                    new_messages: r.new_messages,
                    step_description: r.step_description,
                },
            })
        })
        .collect();
    records.extend(mcp.into_iter().map(|r| {
        RecordedInteraction::Mcp(RecordedMcp {
            timestamp_us: r.timestamp_us,
            task_id: r.task_id,
            result: r.success.map(|success| McpResult {
                success,
                tool_result: r.tool_result,
                available_tools: r.available_tools,
                duration_ms: r.duration_ms.unwrap_or(0),
                error_message: r.error_message,
                refused: r.refused,
                masked_kinds: r.masked_kinds,
                truncated: r.truncated,
            }),
            intent: McpIntent {
                interaction_id: r.interaction_id,
                sequence: r.sequence,
                iteration: r.iteration,
                communication_type: CommunicationType::from_word(&r.communication_type)
                    .unwrap_or(CommunicationType::ToolCall),
                server_name: r.server_name,
                tool_name: r.tool_name,
                tool_arguments: r.tool_arguments,
                tool_call_id: r.tool_call_id,
                // An unknown class is treated as the one that is never repeated.
                effect: EffectClass::from_word(&r.effect).unwrap_or(EffectClass::Destructive),
                step_description: r.step_description,
            },
        })
    }));
    records.sort_by_key(RecordedInteraction::sequence);
    Ok(records)
}
