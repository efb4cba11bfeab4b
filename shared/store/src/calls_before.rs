//! Tool calls of earlier stages, which a stage may cite.

use sqlx::PgConnection;
use tarsy_model::{ExecutionId, InteractionId};

use crate::Error;

/// Maximum number of calls that are read, newest first.
const CALLS: i64 = 200;
/// Maximum length of the part of a result that is read, in characters.
const RESULT_CHARS: i32 = 4_000;
/// The same, for results that an answer is checked against.
const EVIDENCE_CHARS: i32 = 32_000;

/// A tool call of an earlier stage.
#[derive(Clone, Debug)]
pub struct EarlierCall {
    /// The interaction.
    pub interaction_id: InteractionId,
    /// Description of the call, for people.
    pub call: String,
    /// Beginning of the result; empty if there is none.
    pub result: String,
    /// Whether it succeeded.
    pub success: bool,
}

/// Returns the newest tool calls, oldest first, of stages that had ended when this stage's row was created. Omits
/// calls of the servers named in `except`.
pub async fn calls_before(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    except: &[&str],
) -> Result<Vec<EarlierCall>, Error> {
    let mut calls = sqlx::query_as!(
        EarlierCall,
        r#"
        select m.interaction_id as "interaction_id: InteractionId", m.step_description as call,
               coalesce(left(case when jsonb_typeof(m.tool_result) = 'string' then m.tool_result #>> '{}' else m.tool_result::text end, $1), '') as "result!",
               coalesce(m.success, false) and not m.refused as "success!"
        from stage_executions own
        join stage_executions e on e.session_id = own.session_id and e.completed_at_us <= own.created_at_us
        join mcp_interactions m on m.stage_execution_id = e.execution_id
        where own.execution_id = $2 and m.communication_type = 'tool_call' and m.server_name <> all($3)
          and (m.tool_result ? 'repeat_of') is not true
          and not exists (
              select from stage_executions later
              where later.session_id = e.session_id and later.stage_index = e.stage_index and later.branch = e.branch
                and later.attempt > e.attempt and later.completed_at_us <= own.created_at_us)
        order by e.stage_index desc, e.branch desc, m.sequence desc
        limit $4
        "#,
        RESULT_CHARS,
        execution_id.as_uuid(),
        except as &[&str],
        CALLS,
    )
    .fetch_all(conn)
    .await?;
    calls.reverse();
    Ok(calls)
}

/// A successful tool call that an answer can be checked against.
#[derive(Clone, Debug)]
pub struct EarlierEvidence {
    /// The interaction.
    pub interaction_id: InteractionId,
    /// Arguments of the call, as JSON.
    pub arguments: String,
    /// Beginning of the result.
    pub result: String,
}

/// Returns the newest successful tool calls, oldest first, of stages that had ended when this stage's row was created.
/// Includes calls of sub-agents that this stage or those stages dispatched. Omits calls of the servers named in
/// `except`.
pub async fn evidence_before(
    conn: &mut PgConnection,
    execution_id: ExecutionId,
    except: &[&str],
) -> Result<Vec<EarlierEvidence>, Error> {
    let mut calls = sqlx::query_as!(
        EarlierEvidence,
        r#"
        with stages as materialized (
            select e.execution_id, e.stage_index, e.branch
            from stage_executions own
            join stage_executions e on e.session_id = own.session_id
                and (e.completed_at_us <= own.created_at_us or e.execution_id = own.execution_id)
            where own.execution_id = $1
        ),
        sources as (
            select execution_id, stage_index, branch from stages where execution_id <> $1
            union all
            select e.execution_id, s.stage_index, s.branch
            from stages s
            join child_sessions c on c.parent_execution_id = s.execution_id
            join stage_executions e on e.session_id = c.session_id
        )
        select m.interaction_id as "interaction_id!: InteractionId", coalesce(m.tool_arguments::text, '') as "arguments!",
               coalesce(left(case when jsonb_typeof(m.tool_result) = 'string' then m.tool_result #>> '{}' else m.tool_result::text end, $2), '') as "result!"
        from sources s
        join mcp_interactions m on m.stage_execution_id = s.execution_id
        where m.communication_type = 'tool_call' and m.server_name <> all($3) and m.success and not m.refused
          and (m.tool_result ? 'repeat_of') is not true
        order by s.stage_index desc, s.branch desc, m.timestamp_us desc, m.sequence desc
        limit $4
        "#,
        execution_id.as_uuid(),
        EVIDENCE_CHARS,
        except as &[&str],
        CALLS,
    )
    .fetch_all(conn)
    .await?;
    calls.reverse();
    Ok(calls)
}
