//! Reads one session with everything that was recorded about it.

use serde_json::Value;
use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{
    AnswerRating, ExecutionId, InteractionId, SessionId, SessionOutcome, SessionStatus, StageStatus,
};
use uuid::Uuid;

use super::StageState;
use crate::Error;

/// A row of `alert_sessions`, with its triage.
#[derive(Clone, Debug)]
#[expect(
    missing_docs,
    reason = "the columns of alert_sessions and session_care"
)]
pub struct SessionRecord {
    pub session_id: SessionId,
    pub alert_id: Uuid,
    pub alert_type: String,
    pub agent_type: Option<String>,
    pub alert_data: Json<Box<RawValue>>,
    pub severity: String,
    pub alert_timestamp_us: i64,
    pub source: String,
    pub author: Option<String>,
    pub duplicate_count: i32,
    pub resolved_at_us: Option<i64>,
    pub status: SessionStatus,
    pub outcome: Option<SessionOutcome>,
    pub verdict: Option<String>,
    pub verdict_check: Option<Value>,
    pub label: Option<String>,
    pub started_at_us: i64,
    pub completed_at_us: Option<i64>,
    pub error_message: Option<String>,
    pub final_analysis: Option<String>,
    pub chain_id: String,
    pub chain_definition: Value,
    /// One letter per stage of the chain, as written by the SQL function `stage_states`; see [`Self::stage_states`].
    pub stage_letters: String,
    pub current_stage_index: Option<i32>,
    pub current_stage_id: Option<String>,
    pub runbook_url: Option<String>,
    pub runbook_content: Option<String>,
    pub runbook_error: Option<String>,
    pub traceparent: Option<String>,
    pub conversation_id: Option<Uuid>,
    pub parent_session_id: Option<Uuid>,
    pub acknowledged_at_us: Option<i64>,
    pub acknowledged_by: Option<String>,
    pub assignee: Option<String>,
    pub rating: Option<AnswerRating>,
    pub rated_at_us: Option<i64>,
    pub rated_by: Option<String>,
    pub faults: Option<Vec<String>>,
    pub right_cause: Option<String>,
    /// The incident that the session belongs to, or that a person removed it from.
    pub incident_id: Option<Uuid>,
    pub reviewed_at_us: Option<i64>,
    pub reviewed_by: Option<String>,
}

impl SessionRecord {
    /// Returns the state of each stage of the chain, in order.
    #[must_use]
    pub fn stage_states(&self) -> Vec<StageState> {
        let stages = self.chain_definition["stages"].as_array();
        let name = |stage: &Value| stage["name"].as_str().unwrap_or_default().to_owned();
        let names = stages.into_iter().flatten().map(name).collect();
        StageState::read(names, &self.stage_letters)
    }
}

/// A row of `stage_executions`: one attempt of a stage or of one of its branches.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of stage_executions")]
pub struct StageRecord {
    pub execution_id: ExecutionId,
    pub stage_id: Option<String>,
    pub stage_index: i32,
    pub stage_name: String,
    pub agent: String,
    pub iteration_strategy: Option<String>,
    pub llm_provider: Option<String>,
    pub pool: String,
    pub attempt: i32,
    pub branch: i32,
    pub branch_count: i32,
    pub branch_name: Option<String>,
    pub branch_item: Option<Value>,
    pub configuration_hash: Option<String>,
    pub status: StageStatus,
    pub crash_count: i32,
    pub created_at_us: i64,
    pub started_at_us: Option<i64>,
    pub completed_at_us: Option<i64>,
    pub duration_ms: Option<i64>,
    pub stage_output: Option<Value>,
    pub error_message: Option<String>,
    pub error_class: Option<String>,
    pub iterations: Option<i32>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    pub cost_completeness: Option<String>,
}

/// A row of `llm_interactions`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of llm_interactions")]
pub struct LlmRecord {
    pub interaction_id: InteractionId,
    pub stage_execution_id: ExecutionId,
    pub sequence: i32,
    pub iteration: i32,
    pub purpose: String,
    pub timestamp_us: i64,
    pub duration_ms: Option<i64>,
    pub provider: String,
    pub model_name: String,
    pub temperature: Option<f64>,
    pub new_messages: Value,
    pub response_text: Option<String>,
    pub thinking: Option<String>,
    pub tool_calls: Option<Value>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cached_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub cache_write_tokens: Option<i64>,
    pub finish_reason: Option<String>,
    pub cost_usd: Option<f64>,
    pub answered_by: Option<String>,
    pub success: Option<bool>,
    pub error_class: Option<String>,
    pub error_message: Option<String>,
    pub step_description: String,
}

/// A row of `mcp_interactions`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of mcp_interactions")]
pub struct McpRecord {
    pub interaction_id: InteractionId,
    pub stage_execution_id: ExecutionId,
    pub sequence: i32,
    pub iteration: i32,
    pub timestamp_us: i64,
    pub duration_ms: Option<i64>,
    pub server_name: String,
    pub communication_type: String,
    pub tool_name: Option<String>,
    pub tool_arguments: Option<Value>,
    pub tool_result: Option<Value>,
    pub available_tools: Option<Value>,
    pub effect: String,
    pub success: Option<bool>,
    pub refused: bool,
    pub truncated: bool,
    pub masked_kinds: Option<Value>,
    pub error_message: Option<String>,
    pub step_description: String,
}

/// Returns a session; `None` if it does not exist.
pub async fn session_record(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<SessionRecord>, Error> {
    Ok(sqlx::query_as!(
        SessionRecord,
        r#"select session_id as "session_id: SessionId", alert_id, alert_type, agent_type,
                  alert_data as "alert_data: Json<Box<RawValue>>", severity,
                  alert_timestamp_us, source, author, duplicate_count, resolved_at_us, status as "status: SessionStatus",
                  outcome as "outcome: SessionOutcome", verdict, verdict_check, label, started_at_us, completed_at_us,
                  error_message, final_analysis, chain_id, chain_definition,
                  stage_states(session_id, chain_definition) as "stage_letters!", current.stage_index as
                  "current_stage_index?", current.stage_id as "current_stage_id?", runbook_url, runbook_content,
                  runbook_error, traceparent, conversation_id, parent_session_id, c.acknowledged_at_us as "acknowledged_at_us?", c.acknowledged_by as "acknowledged_by?",
                  c.assignee as "assignee?", c.rating as "rating?: AnswerRating", c.rated_at_us as "rated_at_us?",
                  c.rated_by as "rated_by?", c.faults as "faults?", c.right_cause as "right_cause?", c.reviewed_at_us as "reviewed_at_us?", c.reviewed_by as "reviewed_by?",
                  (select i.incident_id from incident_members i where i.session_id = $1) as incident_id
           from alert_sessions
           left join session_care c using (session_id)
           left join lateral (select stage_index, stage_id from stage_executions where session_id = $1
                              order by round desc, stage_index desc limit 1) current on true
           where session_id = $1"#,
        session_id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Returns all attempts of all stages, in the order of the chain.
pub async fn stage_records(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<StageRecord>, Error> {
    Ok(sqlx::query_as!(
        StageRecord,
        r#"select execution_id as "execution_id: ExecutionId", stage_id, stage_index, stage_name, agent,
                  iteration_strategy, llm_provider, pool, attempt, branch, branch_count, branch_name, branch_item,
                  configuration_hash, status as "status: StageStatus", crash_count,
                  created_at_us, started_at_us, completed_at_us, duration_ms, stage_output, error_message, error_class,
                  iterations, input_tokens, output_tokens, cost_usd, cost_completeness
           from stage_executions where session_id = $1 order by stage_index, attempt, branch"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}

/// Returns all model calls of a session, grouped by stage execution.
pub async fn llm_records(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<LlmRecord>, Error> {
    Ok(sqlx::query_as!(
        LlmRecord,
        r#"select interaction_id as "interaction_id: InteractionId", stage_execution_id as "stage_execution_id: ExecutionId",
                  sequence, iteration, purpose, timestamp_us, duration_ms, provider, model_name, temperature, new_messages,
                  response_text, thinking, tool_calls, input_tokens, output_tokens, cached_tokens, reasoning_tokens,
                  cache_write_tokens, finish_reason, cost_usd, answered_by, success, error_class, error_message, step_description
           from llm_interactions where session_id = $1 order by stage_execution_id, sequence"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}

/// Returns all tool calls and tool lists of a session, grouped by stage execution.
pub async fn mcp_records(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<McpRecord>, Error> {
    Ok(sqlx::query_as!(
        McpRecord,
        r#"select interaction_id as "interaction_id: InteractionId", stage_execution_id as "stage_execution_id: ExecutionId",
                  sequence, iteration, timestamp_us, duration_ms, server_name, communication_type, tool_name, tool_arguments,
                  tool_result, available_tools, effect, success, refused, truncated, masked_kinds, error_message,
                  step_description
           from mcp_interactions where session_id = $1 order by stage_execution_id, sequence"#,
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?)
}
