//! Records of model calls.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{InteractionId, LlmIntent, LlmResult};

use super::{StageWrite, column, in_order};
use crate::Error;

/// Records intents of model calls and publishes their events. Returns the ids that were written. If an intent is
/// missing, its stage is no longer held. Repeating a write changes only its claim, time, provider and model.
///
/// # Errors
///
/// [`Error::Database`]: nothing of the group was written, or the reply was lost.
pub async fn begin_llm(
    conn: &mut PgConnection,
    writes: &[Arc<StageWrite<LlmIntent>>],
) -> Result<HashSet<InteractionId>, Error> {
    let w = in_order(writes);
    write_records!(
        conn,
        w,
        |w| w.record.interaction_id.as_uuid(),
        "$8::int[], $9::int[], $10::text[], $11::text[], $12::text[], $13::float8[], $14::jsonb[], $15::text[]",
        "sequence, iteration, purpose, provider, model_name, temperature, new_messages, step_description",
        "insert into llm_interactions
            (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider, model_name,
             temperature, new_messages, step_description, claim_epoch)
        select interaction_id, session_id, held_execution_id, sequence, iteration, purpose, provider, model_name,
               temperature, new_messages, step_description, epoch
        from input cross join lateral held_stage(execution_id, owner, epoch)
        on conflict (interaction_id) do update
        set claim_epoch = excluded.claim_epoch, timestamp_us = excluded.timestamp_us,
            provider = excluded.provider, model_name = excluded.model_name
        returning interaction_id",
        &column(&w, |w| w.record.sequence),
        &column(&w, |w| w.record.iteration),
        &column(&w, |w| w.record.purpose.as_str()) as &[&str],
        &column(&w, |w| w.record.provider.as_str()) as &[&str],
        &column(&w, |w| w.record.model_name.as_str()) as &[&str],
        &column(&w, |w| w.record.temperature) as &[Option<f64>],
        &column(&w, |w| &w.record.new_messages) as &[&Value],
        &column(&w, |w| w.record.step_description.as_str()) as &[&str],
    )
}

/// Records results of model calls and publishes their events. Returns the ids that were written, like [`begin_llm`].
///
/// # Errors
///
/// [`Error::Database`]: nothing of the group was written, or the reply was lost.
pub async fn finish_llm(
    conn: &mut PgConnection,
    writes: &[Arc<StageWrite<(InteractionId, LlmResult)>>],
) -> Result<HashSet<InteractionId>, Error> {
    let w = in_order(writes);
    write_records!(
        conn,
        w,
        |w| w.record.0.as_uuid(),
        "$8::bool[], $9::text[], $10::text[], $11::jsonb[], $12::bigint[], $13::bigint[], $14::bigint[],
         $15::bigint[], $16::float8[], $17::bigint[], $18::text[], $19::text[], $20::text[], $21::jsonb[],
         $22::jsonb[], $23::text[], $24::bigint[], $25::text[]",
        "success, response_text, thinking, tool_calls, input_tokens, output_tokens, cached_tokens,
         reasoning_tokens, cost_usd, duration_ms, error_class, error_message, answered_by, attempts,
         masked_kinds, finish_reason, cache_write_tokens, price_as_of",
        "update llm_interactions i
        set success = s.success, response_text = s.response_text, thinking = s.thinking, tool_calls = s.tool_calls,
            input_tokens = s.input_tokens, output_tokens = s.output_tokens, cached_tokens = s.cached_tokens,
            reasoning_tokens = s.reasoning_tokens, cost_usd = s.cost_usd, duration_ms = s.duration_ms,
            error_class = s.error_class, error_message = s.error_message, answered_by = s.answered_by,
            attempts = s.attempts, masked_kinds = s.masked_kinds, finish_reason = s.finish_reason,
            cache_write_tokens = s.cache_write_tokens, price_as_of = s.price_as_of
        from input s cross join lateral held_stage(s.execution_id, s.owner, s.epoch)
        where i.interaction_id = any(array[s.interaction_id]) and i.stage_execution_id = held_execution_id
        returning i.interaction_id",
        &column(&w, |w| w.record.1.success),
        &column(&w, |w| w.record.1.response_text.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.thinking.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.tool_calls.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.usage.map(|u| u.input_tokens)) as &[Option<i64>],
        &column(&w, |w| w.record.1.usage.map(|u| u.output_tokens)) as &[Option<i64>],
        &column(&w, |w| w.record.1.usage.map(|u| u.cached_tokens)) as &[Option<i64>],
        &column(&w, |w| w.record.1.usage.map(|u| u.reasoning_tokens)) as &[Option<i64>],
        &column(&w, |w| w.record.1.cost_usd) as &[Option<f64>],
        &column(&w, |w| w.record.1.duration_ms),
        &column(&w, |w| w.record.1.error_class.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.error_message.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.answered_by.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.attempts.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.masked_kinds.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.finish_reason.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.usage.map(|u| u.cache_write_tokens)) as &[Option<i64>],
        &column(&w, |w| w.record.1.price_as_of.as_deref()) as &[Option<&str>],
    )
}
