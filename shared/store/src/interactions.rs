//! Interactions: intents before calls and results after them, under the stage's claim.

use sqlx::{PgConnection, PgExecutor};
use tarsy_model::{
    ClaimRef, CommunicationType, EffectClass, ExecutionId, InteractionId, LlmIntent, LlmPurpose,
    LlmResult, McpIntent, McpResult, RecordedInteraction, RecordedLlm, RecordedMcp, SessionId,
    TokenUsage, UnixMicros,
};

use crate::fence::unfenced;
use crate::{Error, NewEvent};

/// Under which hold of which stage an interaction is written.
#[derive(Clone, Copy, Debug)]
pub struct StageHold {
    /// Whose session.
    pub session_id: SessionId,
    /// Which attempt.
    pub execution_id: ExecutionId,
    /// Under which claim.
    pub claim: ClaimRef,
}

// The fence of every statement below is the function `held_stage` (see its migration). Each tells
// its event itself: a transaction around two statements would wait for Postgres four times.

fn held(rows: u64) -> Result<(), Error> {
    if rows == 0 {
        Err(Error::ClaimLost)
    } else {
        Ok(())
    }
}

/// Record that the model is about to be asked, and tell of it. Writing the same intent again
/// changes nothing.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn begin_llm(
    db: impl PgExecutor<'_>,
    hold: &StageHold,
    intent: &LlmIntent,
    event: &NewEvent,
) -> Result<(), Error> {
    let done = sqlx::query!(
        r#"
        with kept as (
        insert into llm_interactions
            (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider, model_name,
             temperature, new_messages, step_description, claim_epoch)
        select $4, $5, held_execution_id, $6, $7, $8, $9, $10, $11, $12, $13, $3 from held_stage($1, $2, $3, $14)
        on conflict (interaction_id) do update set claim_epoch = excluded.claim_epoch, timestamp_us = excluded.timestamp_us,
            provider = excluded.provider, model_name = excluded.model_name
        returning interaction_id
        )
        insert into events (session_id, kind, payload) select $15, $16, $17 from kept
        "#,
        hold.execution_id.as_uuid(),
        hold.claim.owner,
        hold.claim.epoch,
        intent.interaction_id.as_uuid(),
        hold.session_id.as_uuid(),
        intent.sequence,
        intent.iteration,
        intent.purpose.as_str(),
        intent.provider,
        intent.model_name,
        intent.temperature,
        intent.new_messages,
        intent.step_description,
        unfenced(),
        event.session_id.map(SessionId::as_uuid),
        event.kind,
        event.payload,
    )
    .execute(db)
    .await?;
    held(done.rows_affected())
}

/// Record what came of a model call, and tell of it.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn finish_llm(
    db: impl PgExecutor<'_>,
    hold: &StageHold,
    id: InteractionId,
    result: &LlmResult,
    event: &NewEvent,
) -> Result<(), Error> {
    let done = sqlx::query!(
        r#"
        with kept as (
        update llm_interactions i
        set success = $5, response_text = $6, thinking = $7, tool_calls = $8, input_tokens = $9, output_tokens = $10,
            cached_tokens = $11, reasoning_tokens = $12, cost_usd = $13, duration_ms = $14, error_class = $15,
            error_message = $16, answered_by = $17, attempts = $18, masked_kinds = $19
        from held_stage($1, $2, $3, $20)
        where i.interaction_id = $4 and i.stage_execution_id = held_execution_id
        returning interaction_id
        )
        insert into events (session_id, kind, payload) select $21, $22, $23 from kept
        "#,
        hold.execution_id.as_uuid(),
        hold.claim.owner,
        hold.claim.epoch,
        id.as_uuid(),
        result.success,
        result.response_text,
        result.thinking,
        result.tool_calls,
        result.usage.map(|u| u.input_tokens),
        result.usage.map(|u| u.output_tokens),
        result.usage.map(|u| u.cached_tokens),
        result.usage.map(|u| u.reasoning_tokens),
        result.cost_usd,
        result.duration_ms,
        result.error_class,
        result.error_message,
        result.answered_by,
        result.attempts,
        result.masked_kinds,
        unfenced(),
        event.session_id.map(SessionId::as_uuid),
        event.kind,
        event.payload,
    )
    .execute(db)
    .await?;
    held(done.rows_affected())
}

/// Record that a tool is about to be called, and tell of it. Writing the same intent again changes
/// nothing.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn begin_mcp(
    db: impl PgExecutor<'_>,
    hold: &StageHold,
    intent: &McpIntent,
    event: &NewEvent,
) -> Result<(), Error> {
    let done = sqlx::query!(
        r#"
        with kept as (
        insert into mcp_interactions
            (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name, communication_type,
             tool_name, tool_arguments, tool_call_id, effect, step_description, claim_epoch)
        select $4, $5, held_execution_id, $6, $7, $8, $9, $10, $11, $12, $13, $14, $3 from held_stage($1, $2, $3, $15)
        on conflict (interaction_id) do update set claim_epoch = excluded.claim_epoch, timestamp_us = excluded.timestamp_us
        returning interaction_id
        )
        insert into events (session_id, kind, payload) select $16, $17, $18 from kept
        "#,
        hold.execution_id.as_uuid(),
        hold.claim.owner,
        hold.claim.epoch,
        intent.interaction_id.as_uuid(),
        hold.session_id.as_uuid(),
        intent.sequence,
        intent.iteration,
        intent.server_name,
        intent.communication_type.as_str(),
        intent.tool_name,
        intent.tool_arguments,
        intent.tool_call_id,
        intent.effect.as_str(),
        intent.step_description,
        unfenced(),
        event.session_id.map(SessionId::as_uuid),
        event.kind,
        event.payload,
    )
    .execute(db)
    .await?;
    held(done.rows_affected())
}

/// Record what came of a tool call, and tell of it.
///
/// # Errors
///
/// [`Error::ClaimLost`] if the stage is no longer held; [`Error::Database`].
pub async fn finish_mcp(
    db: impl PgExecutor<'_>,
    hold: &StageHold,
    id: InteractionId,
    result: &McpResult,
    event: &NewEvent,
) -> Result<(), Error> {
    let done = sqlx::query!(
        r#"
        with kept as (
        update mcp_interactions i
        set success = $5, tool_result = $6, available_tools = $7, duration_ms = $8, error_message = $9, refused = $10,
            masked_kinds = $11, truncated = $12
        from held_stage($1, $2, $3, $13)
        where i.interaction_id = $4 and i.stage_execution_id = held_execution_id
        returning interaction_id
        )
        insert into events (session_id, kind, payload) select $14, $15, $16 from kept
        "#,
        hold.execution_id.as_uuid(),
        hold.claim.owner,
        hold.claim.epoch,
        id.as_uuid(),
        result.success,
        result.tool_result,
        result.available_tools,
        result.duration_ms,
        result.error_message,
        result.refused,
        result.masked_kinds,
        result.truncated,
        unfenced(),
        event.session_id.map(SessionId::as_uuid),
        event.kind,
        event.payload,
    )
    .execute(db)
    .await?;
    held(done.rows_affected())
}

/// Everything recorded of a stage execution, in order.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn load_records(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
) -> Result<Vec<RecordedInteraction>, Error> {
    let llm = sqlx::query!(
        r#"select interaction_id as "interaction_id: InteractionId", sequence, iteration, purpose,
               timestamp_us as "timestamp_us: UnixMicros", duration_ms, provider, model_name, temperature, new_messages,
               response_text, thinking, tool_calls, input_tokens, output_tokens, cached_tokens, reasoning_tokens,
               cost_usd, answered_by, attempts, masked_kinds, success, error_class, error_message, step_description
           from llm_interactions where stage_execution_id = $1 order by sequence"#,
        execution_id.as_uuid(),
    )
    .fetch_all(&mut *conn)
    .await?;
    let mcp = sqlx::query!(
        r#"select interaction_id as "interaction_id: InteractionId", sequence, iteration,
               timestamp_us as "timestamp_us: UnixMicros", duration_ms, server_name, communication_type, tool_name,
               tool_arguments, tool_call_id, tool_result, available_tools, effect, success, refused, truncated,
               masked_kinds, error_message, step_description
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
                            reasoning_tokens: r.reasoning_tokens.unwrap_or(0),
                        },
                    ),
                    cost_usd: r.cost_usd,
                    duration_ms: r.duration_ms.unwrap_or(0),
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
                // An unknown word is treated as the class that is never repeated.
                effect: EffectClass::from_word(&r.effect).unwrap_or(EffectClass::Destructive),
                step_description: r.step_description,
            },
        })
    }));
    records.sort_by_key(RecordedInteraction::sequence);
    Ok(records)
}
