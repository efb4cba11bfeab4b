//! Context for the answer to a follow-up question, read from rows that no longer change.

use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_chain::{ChainDefinition, StageAttempt, conclusion_of};
use tarsy_model::{
    AlertProcessingData, EarlierTurn, Evidence, ExecutionId, FollowUp, SessionId, StageStatus,
    UnixMicros, read_document,
};
use uuid::Uuid;

use crate::Error;

/// Number of tool calls that are read, newest first.
const CALLS: i64 = 200;
/// Maximum length of the part of a tool result that is read, in characters.
const RESULT_CHARS: i32 = 8_000;
/// Number of earlier questions that are read, newest first.
const TURNS: i64 = 10;

/// Context of a question.
#[derive(Clone, Debug)]
pub struct FollowUpContext {
    /// Alert and runbook of the session that the question is about, with the question's own session id.
    pub data: AlertProcessingData,
    /// The question, with earlier findings and answers.
    pub follow_up: FollowUp,
}

/// Reads the context of a question. Returns `None` if the session is not a question.
///
/// Reads the attempts that had ended when the question was asked. They no longer change; a replay only adds others.
/// Earlier questions have ended, and none of them is replayed while this one is live.
pub async fn follow_up_context(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Option<FollowUpContext>, Error> {
    let row = sqlx::query!(
        r#"
        select q.alert_data ->> 'question' as "question!", q.started_at_us as asked_at_us, r.session_id, r.alert_type,
               r.severity, r.alert_timestamp_us as "alert_timestamp_us: UnixMicros", r.alert_data::text as "alert_data!",
               r.runbook_url, r.runbook_content, r.runbook_error, r.chain_id,
               r.chain_definition as "chain: Json<ChainDefinition>"
        from alert_sessions q join alert_sessions r on r.session_id = q.conversation_id
        where q.session_id = $1 and q.alert_data ? 'question'
        "#,
        session_id.as_uuid(),
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let (conclusion, failures, executions) =
        load_findings(conn, row.session_id, &row.chain, row.asked_at_us).await?;
    let follow_up = FollowUp {
        question: row.question,
        conclusion,
        failures,
        evidence: evidence(conn, &executions).await?,
        turns: earlier(conn, row.session_id, session_id, row.asked_at_us).await?,
    };
    let data = AlertProcessingData {
        session_id,
        alert_type: row.alert_type,
        severity: row.severity,
        timestamp_us: row.alert_timestamp_us,
        // Unreadable alert data is omitted, as it was when the session was answered.
        alert_data: read_document(&row.alert_data).unwrap_or_default(),
        runbook_url: row.runbook_url,
        runbook_content: row.runbook_content,
        runbook_error: row.runbook_error,
        chain_id: row.chain_id,
        current_stage: tarsy_chain::FOLLOW_UP_STAGE.to_owned(),
        branch: None,
        stage_outputs: Vec::new(),
    };
    Ok(Some(FollowUpContext { data, follow_up }))
}

/// Returns the conclusion at that time, the reasons of failed stages, and the attempts that had ended.
async fn load_findings(
    conn: &mut PgConnection,
    session_id: Uuid,
    chain: &ChainDefinition,
    asked_at_us: i64,
) -> Result<(Option<String>, Vec<String>, Vec<Uuid>), Error> {
    let rows = sqlx::query!(
        r#"
        select distinct on (stage_index, branch) execution_id as "execution_id: ExecutionId", stage_index, branch, branch_count,
               branch_name, stage_name, attempt, round, status as "status: StageStatus", iteration_strategy, stage_output ->> 'result' as result,
               error_message
        from stage_executions
        where session_id = $1 and completed_at_us <= $2
        order by stage_index, branch, attempt desc
        "#,
        session_id,
        asked_at_us,
    )
    .fetch_all(conn)
    .await?;
    let attempts: Vec<StageAttempt> = rows
        .iter()
        .map(|row| StageAttempt {
            execution_id: row.execution_id,
            stage_index: row.stage_index,
            branch: row.branch,
            branch_count: row.branch_count,
            branch_name: row.branch_name.clone(),
            attempt: row.attempt,
            round: row.round,
            status: row.status,
            iteration_strategy: row.iteration_strategy.clone(),
            error_message: row.error_message.clone(),
        })
        .collect();
    let from = conclusion_of(chain, &attempts).map(|attempt| attempt.execution_id);
    let failures = rows
        .iter()
        .filter(|row| row.status == StageStatus::Failed)
        .map(|row| {
            let why = row
                .error_message
                .as_deref()
                .unwrap_or("no reason was given");
            format!("{}: {why}", row.stage_name)
        })
        .collect();
    let executions = rows.iter().map(|row| row.execution_id.as_uuid()).collect();
    let conclusion = rows.into_iter().find(|row| Some(row.execution_id) == from);
    Ok((conclusion.and_then(|row| row.result), failures, executions))
}

/// Returns the newest successful tool calls, oldest first.
async fn evidence(conn: &mut PgConnection, executions: &[Uuid]) -> Result<Vec<Evidence>, Error> {
    let mut evidence = sqlx::query_as!(
        Evidence,
        r#"
        select step_description as call, left(tool_result #>> '{}', $1) as "result!"
        from mcp_interactions
        where stage_execution_id = any($2) and communication_type = 'tool_call' and success
          and jsonb_typeof(tool_result) = 'string'
        order by timestamp_us desc, interaction_id desc
        limit $3
        "#,
        RESULT_CHARS,
        executions,
        CALLS,
    )
    .fetch_all(conn)
    .await?;
    evidence.reverse();
    Ok(evidence)
}

/// Returns the earlier questions of the conversation, oldest first.
async fn earlier(
    conn: &mut PgConnection,
    conversation_id: Uuid,
    session_id: SessionId,
    asked_at_us: i64,
) -> Result<Vec<EarlierTurn>, Error> {
    let mut turns = sqlx::query_as!(
        EarlierTurn,
        r#"
        select coalesce(alert_data ->> 'question', '') as "question!", final_analysis as answer
        from alert_sessions
        where conversation_id = $1 and (started_at_us, session_id) < ($2, $3)
        order by started_at_us desc, session_id desc
        limit $4
        "#,
        conversation_id,
        asked_at_us,
        session_id.as_uuid(),
        TURNS,
    )
    .fetch_all(conn)
    .await?;
    turns.reverse();
    Ok(turns)
}
