//! Records of tool calls and tool lists.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{InteractionId, McpIntent, McpResult};

use super::{StageWrite, column, in_order};
use crate::Error;

/// Records intents of tool calls and publishes their events. Returns the ids that were written. If an intent is
/// missing, its stage is no longer held. Repeating a write changes only the intent's claim and time.
///
/// # Errors
///
/// [`Error::Database`]: nothing of the group was written, or the reply was lost.
pub async fn begin_mcp(
    conn: &mut PgConnection,
    writes: &[Arc<StageWrite<McpIntent>>],
) -> Result<HashSet<InteractionId>, Error> {
    let w = in_order(writes);
    write_records!(
        conn,
        w,
        |w| w.record.interaction_id.as_uuid(),
        "$8::int[], $9::int[], $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::text[], $15::text[],
         $16::text[]",
        "sequence, iteration, server_name, communication_type, tool_name, tool_arguments, tool_call_id, effect,
         step_description",
        "insert into mcp_interactions
            (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name, communication_type,
             tool_name, tool_arguments, tool_call_id, effect, step_description, claim_epoch)
        select interaction_id, session_id, held_execution_id, sequence, iteration, server_name, communication_type,
               tool_name, tool_arguments, tool_call_id, effect, step_description, epoch
        from input cross join lateral held_stage(execution_id, owner, epoch)
        on conflict (interaction_id) do update
        set claim_epoch = excluded.claim_epoch, timestamp_us = excluded.timestamp_us
        returning interaction_id",
        &column(&w, |w| w.record.sequence),
        &column(&w, |w| w.record.iteration),
        &column(&w, |w| w.record.server_name.as_str()) as &[&str],
        &column(&w, |w| w.record.communication_type.as_str()) as &[&str],
        &column(&w, |w| w.record.tool_name.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.tool_arguments.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.tool_call_id.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.effect.as_str()) as &[&str],
        &column(&w, |w| w.record.step_description.as_str()) as &[&str],
    )
}

/// Records results of tool calls and publishes their events. Returns the ids that were written, like [`begin_mcp`].
///
/// # Errors
///
/// [`Error::Database`]: nothing of the group was written, or the reply was lost.
pub async fn finish_mcp(
    conn: &mut PgConnection,
    writes: &[Arc<StageWrite<(InteractionId, McpResult)>>],
) -> Result<HashSet<InteractionId>, Error> {
    let w = in_order(writes);
    write_records!(
        conn,
        w,
        |w| w.record.0.as_uuid(),
        "$8::bool[], $9::jsonb[], $10::jsonb[], $11::bigint[], $12::text[], $13::bool[], $14::jsonb[],
         $15::bool[]",
        "success, tool_result, available_tools, duration_ms, error_message, refused, masked_kinds, truncated",
        "update mcp_interactions i
        set success = s.success, tool_result = s.tool_result, available_tools = s.available_tools,
            duration_ms = s.duration_ms, error_message = s.error_message, refused = s.refused,
            masked_kinds = s.masked_kinds, truncated = s.truncated
        from input s cross join lateral held_stage(s.execution_id, s.owner, s.epoch)
        where i.interaction_id = any(array[s.interaction_id]) and i.stage_execution_id = held_execution_id
        returning i.interaction_id",
        &column(&w, |w| w.record.1.success),
        &column(&w, |w| w.record.1.tool_result.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.available_tools.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.duration_ms),
        &column(&w, |w| w.record.1.error_message.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.refused),
        &column(&w, |w| w.record.1.masked_kinds.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.truncated),
    )
}
