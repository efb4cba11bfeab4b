//! Tool calls of earlier stages, which a stage may cite.

use sqlx::PgConnection;
use tarsy_model::{ExecutionId, InteractionId};

use crate::Error;

/// Most calls that are read, the newest ones.
const CALLS: i64 = 200;
/// Longest part of a result that is read, in characters.
const RESULT_CHARS: i32 = 4_000;

/// A tool call of an earlier stage.
#[derive(Clone, Debug)]
pub struct EarlierCall {
    /// The interaction.
    pub interaction_id: InteractionId,
    /// The call, for people.
    pub call: String,
    /// The beginning of its result; empty if it has none.
    pub result: String,
    /// Whether it succeeded.
    pub success: bool,
}

/// The newest tool calls of stages that had ended when the row of this one was made, oldest first; those of `except`, names
/// of servers, are left out.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn calls_before(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    except: &[&str],
) -> Result<Vec<EarlierCall>, Error> {
    let mut calls = sqlx::query_as!(
        EarlierCall,
        r#"
        select m.interaction_id as "interaction_id: InteractionId", m.step_description as call,
               coalesce(left(case when jsonb_typeof(m.tool_result) = 'string' then m.tool_result #>> '{}' else m.tool_result::text end, $2), '') as "result!",
               coalesce(m.success, false) and not m.refused as "success!"
        from stage_executions own
        join stage_executions e on e.session_id = own.session_id and e.completed_at_us <= own.created_at_us
        join mcp_interactions m on m.stage_execution_id = e.execution_id
        where own.execution_id = $1 and m.communication_type = 'tool_call' and m.server_name <> all($4)
          and (m.tool_result ? 'repeat_of') is not true
          and not exists (
              select from stage_executions later
              where later.session_id = e.session_id and later.stage_index = e.stage_index and later.branch = e.branch
                and later.attempt > e.attempt and later.completed_at_us <= own.created_at_us)
        order by e.stage_index desc, e.branch desc, m.sequence desc
        limit $3
        "#,
        execution_id.as_uuid(),
        RESULT_CHARS,
        CALLS,
        except as &[&str],
    )
    .fetch_all(conn)
    .await?;
    calls.reverse();
    Ok(calls)
}
