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
    let kept = sqlx::query_scalar!(
        r#"
        with input as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::int[], $7::int[], $8::text[],
                $9::text[], $10::text[], $11::jsonb[], $12::text[], $13::text[], $14::text[], $15::text[], $16::jsonb[])
            as a (execution_id, owner, epoch, interaction_id, session_id, sequence, iteration, server_name,
                  communication_type, tool_name, tool_arguments, tool_call_id, effect, step_description, kind, event)
        ),
        kept as (
            insert into mcp_interactions
                (interaction_id, session_id, stage_execution_id, sequence, iteration, server_name, communication_type,
                 tool_name, tool_arguments, tool_call_id, effect, step_description, claim_epoch)
            select interaction_id, session_id, held_execution_id, sequence, iteration, server_name, communication_type,
                   tool_name, tool_arguments, tool_call_id, effect, step_description, epoch
            from input cross join lateral held_stage(execution_id, owner, epoch)
            on conflict (interaction_id) do update
            set claim_epoch = excluded.claim_epoch, timestamp_us = excluded.timestamp_us
            returning interaction_id
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, kind, event from input join kept using (interaction_id)
        )
        select interaction_id as "id: InteractionId" from kept
        "#,
        &column(&w, |w| w.fence.execution_id.as_uuid()),
        &column(&w, |w| w.fence.claim.owner),
        &column(&w, |w| w.fence.claim.epoch),
        &column(&w, |w| w.record.interaction_id.as_uuid()),
        &column(&w, |w| w.fence.session_id.as_uuid()),
        &column(&w, |w| w.record.sequence),
        &column(&w, |w| w.record.iteration),
        &column(&w, |w| w.record.server_name.as_str()) as &[&str],
        &column(&w, |w| w.record.communication_type.as_str()) as &[&str],
        &column(&w, |w| w.record.tool_name.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.tool_arguments.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.tool_call_id.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.effect.as_str()) as &[&str],
        &column(&w, |w| w.record.step_description.as_str()) as &[&str],
        &column(&w, |w| w.event.kind) as &[&str],
        &column(&w, |w| &w.event.payload) as &[&Value],
    )
    .fetch_all(conn)
    .await?;
    Ok(kept.into_iter().collect())
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
    let kept = sqlx::query_scalar!(
        r#"
        with input as (
            select * from unnest(
                $1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::bool[], $6::jsonb[], $7::jsonb[], $8::bigint[],
                $9::text[], $10::bool[], $11::jsonb[], $12::bool[], $13::uuid[], $14::text[], $15::jsonb[])
            as s (execution_id, owner, epoch, interaction_id, success, tool_result, available_tools, duration_ms,
                  error_message, refused, masked_kinds, truncated, session_id, kind, event)
        ),
        kept as (
            update mcp_interactions i
            set success = s.success, tool_result = s.tool_result, available_tools = s.available_tools,
                duration_ms = s.duration_ms, error_message = s.error_message, refused = s.refused,
                masked_kinds = s.masked_kinds, truncated = s.truncated
            from input s cross join lateral held_stage(s.execution_id, s.owner, s.epoch)
            where i.interaction_id = any(array[s.interaction_id]) and i.stage_execution_id = held_execution_id
            returning i.interaction_id
        ),
        new_events as (
            insert into events (session_id, kind, payload)
            select session_id, kind, event from input join kept using (interaction_id)
        )
        select interaction_id as "id: InteractionId" from kept
        "#,
        &column(&w, |w| w.fence.execution_id.as_uuid()),
        &column(&w, |w| w.fence.claim.owner),
        &column(&w, |w| w.fence.claim.epoch),
        &column(&w, |w| w.record.0.as_uuid()),
        &column(&w, |w| w.record.1.success),
        &column(&w, |w| w.record.1.tool_result.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.available_tools.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.duration_ms),
        &column(&w, |w| w.record.1.error_message.as_deref()) as &[Option<&str>],
        &column(&w, |w| w.record.1.refused),
        &column(&w, |w| w.record.1.masked_kinds.as_ref()) as &[Option<&Value>],
        &column(&w, |w| w.record.1.truncated),
        &column(&w, |w| w.fence.session_id.as_uuid()),
        &column(&w, |w| w.event.kind) as &[&str],
        &column(&w, |w| &w.event.payload) as &[&Value],
    )
    .fetch_all(conn)
    .await?;
    Ok(kept.into_iter().collect())
}
