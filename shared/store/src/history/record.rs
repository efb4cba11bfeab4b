//! Reads the interactions of a session page by page.

use sqlx::PgConnection;
use tarsy_model::{ExecutionId, InteractionId, SessionId};

use super::{LlmRecord, McpRecord};
use crate::Error;

/// A page of a session's interactions.
#[derive(Clone, Debug)]
pub struct RecordPart {
    /// Ids of the interactions, in order.
    pub order: Vec<InteractionId>,
    /// The model calls of the page, unordered.
    pub llm: Vec<LlmRecord>,
    /// The tool calls and tool lists of the page, unordered.
    pub mcp: Vec<McpRecord>,
    /// Whether more interactions follow.
    pub more: bool,
}

/// Reads at most `limit` interactions after `after`, or the first ones. Attempts are in the order of their creation,
/// and interactions within an attempt by sequence. Returns `None` if `after` does not belong to this session.
pub async fn record_part(
    conn: &mut PgConnection,
    session_id: SessionId,
    after: Option<InteractionId>,
    limit: i64,
) -> Result<Option<RecordPart>, Error> {
    let mut mark = Mark::START;
    if let Some(id) = after {
        match mark_of(conn, session_id, id).await? {
            Some(found) => mark = found,
            None => return Ok(None),
        }
    }
    let mut order = sqlx::query_scalar!(
        r#"select i.interaction_id as "interaction_id!: InteractionId"
           from stage_executions s
           join (select interaction_id, stage_execution_id, sequence from llm_interactions where session_id = $1
                 union all
                 select interaction_id, stage_execution_id, sequence from mcp_interactions where session_id = $1) i
             on i.stage_execution_id = s.execution_id
           where s.session_id = $1 and (s.created_at_us, s.stage_index, s.attempt, i.sequence) > ($2, $3, $4, $5)
           order by s.created_at_us, s.stage_index, s.attempt, i.sequence limit $6"#,
        session_id.as_uuid(),
        mark.created_at_us,
        mark.stage_index,
        mark.attempt,
        mark.sequence,
        limit + 1,
    )
    .fetch_all(&mut *conn)
    .await?;
    let more = i64::try_from(order.len()).is_ok_and(|found| found > limit);
    if more {
        order.pop();
    }
    let ids: Vec<_> = order.iter().map(|id| id.as_uuid()).collect();
    let llm = sqlx::query_as!(
        LlmRecord,
        r#"select interaction_id as "interaction_id: InteractionId", stage_execution_id as "stage_execution_id: ExecutionId",
                  sequence, iteration, purpose, timestamp_us, duration_ms, provider, model_name, temperature, new_messages,
                  response_text, thinking, tool_calls, input_tokens, output_tokens, cached_tokens, reasoning_tokens,
                  cache_write_tokens, finish_reason, cost_usd, answered_by, success, error_class, error_message, step_description
           from llm_interactions where interaction_id = any($1)"#,
        &ids,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mcp = sqlx::query_as!(
        McpRecord,
        r#"select interaction_id as "interaction_id: InteractionId", stage_execution_id as "stage_execution_id: ExecutionId",
                  sequence, iteration, timestamp_us, duration_ms, server_name, communication_type, tool_name, tool_arguments,
                  tool_result, available_tools, effect, success, refused, truncated, masked_kinds, error_message,
                  step_description
           from mcp_interactions where interaction_id = any($1)"#,
        &ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(Some(RecordPart {
        order,
        llm,
        mcp,
        more,
    }))
}

/// Position of an interaction in its session.
struct Mark {
    created_at_us: i64,
    stage_index: i32,
    attempt: i32,
    sequence: i32,
}

impl Mark {
    const START: Self = Self {
        created_at_us: -1,
        stage_index: 0,
        attempt: 0,
        sequence: 0,
    };
}

async fn mark_of(
    conn: &mut PgConnection,
    session_id: SessionId,
    id: InteractionId,
) -> Result<Option<Mark>, Error> {
    Ok(sqlx::query_as!(
        Mark,
        r#"select s.created_at_us, s.stage_index, s.attempt, i.sequence as "sequence!"
           from (select stage_execution_id, sequence from llm_interactions where interaction_id = $1
                 union all
                 select stage_execution_id, sequence from mcp_interactions where interaction_id = $1) i
           join stage_executions s on s.execution_id = i.stage_execution_id
           where s.session_id = $2"#,
        id.as_uuid(),
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Totals of one stage attempt.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTally {
    /// Model calls.
    pub llm: i64,
    /// Tool calls and tool lists.
    pub mcp: i64,
    /// Total duration of both, in ms.
    pub duration_ms: i64,
}

/// Returns the totals of a session's attempts that have interactions.
pub async fn stage_tallies(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<(ExecutionId, StageTally)>, Error> {
    let found = sqlx::query!(
        r#"select stage_execution_id as "execution_id!: ExecutionId", count(*) filter (where is_llm) as "llm!",
                  count(*) filter (where not is_llm) as "mcp!", coalesce(sum(duration_ms), 0)::bigint as "duration_ms!"
           from (select stage_execution_id, duration_ms, true as is_llm from llm_interactions where session_id = $1
                 union all
                 select stage_execution_id, duration_ms, false from mcp_interactions where session_id = $1) i
           group by stage_execution_id"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    let tally = |llm, mcp, duration_ms| StageTally {
        llm,
        mcp,
        duration_ms,
    };
    Ok(found
        .into_iter()
        .map(|row| (row.execution_id, tally(row.llm, row.mcp, row.duration_ms)))
        .collect())
}
