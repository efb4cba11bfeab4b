//! Status of an alert for its sender.

use serde::Deserialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus, StageStatus};
use uuid::Uuid;

use crate::Error;

/// Progress of one stage.
#[derive(Clone, Debug, Deserialize)]
pub struct StageProgress {
    /// Position in the chain.
    pub stage_index: i32,
    /// Name in the chain.
    pub stage_name: String,
    /// Agent that runs it.
    pub agent: String,
    /// Name of the branch, in a stage with branches.
    pub branch_name: Option<String>,
    /// Number of branches; 1 for a stage without branches.
    pub branch_count: i32,
    /// Status of the current attempt.
    pub status: StageStatus,
    /// Iteration of the newest model call; `None` if no model was called yet.
    pub iteration: Option<i32>,
}

/// Status of an alert's session.
#[derive(Clone, Debug)]
pub struct AlertStatus {
    /// Session of the alert.
    pub session_id: SessionId,
    /// Current status of the session.
    pub status: SessionStatus,
    /// Outcome; `None` while the session is live.
    pub outcome: Option<SessionOutcome>,
    /// Verdict of the check of the answer, as a value of `SessionVerdict`.
    pub verdict: Option<String>,
    /// The verdict in one sentence.
    pub verdict_summary: Option<String>,
    /// Label of the chain that the agent chose for the session.
    pub label: Option<String>,
    /// Number of stages of the chain.
    pub stage_count: i32,
    /// Reason why the session failed.
    pub error_message: Option<String>,
    /// The answer.
    pub final_analysis: Option<String>,
    /// Chain of the session.
    pub chain_id: String,
    /// Current attempts, by stage index. Omits those that a replay of an earlier stage made outdated.
    pub stages: Vec<StageProgress>,
}

/// Reads the status of an alert by its id.
pub async fn alert_status(
    conn: &mut PgConnection,
    alert_id: Uuid,
) -> Result<Option<AlertStatus>, Error> {
    let row = sqlx::query!(
        r#"
        select s.session_id as "session_id: SessionId", s.status as "status: SessionStatus",
            s.outcome as "outcome: SessionOutcome", s.verdict,
            s.verdict_check ->> 'summary' as verdict_summary, s.label, s.error_message, s.final_analysis, s.chain_id,
            jsonb_array_length(s.chain_definition -> 'stages') as "stage_count!",
            (select jsonb_agg(jsonb_build_object('stage_index', e.stage_index, 'stage_name', e.stage_name,
                                                 'agent', e.agent, 'branch_name', e.branch_name, 'branch_count', e.branch_count,
                                                 'status', e.status,
                                                 'iteration', (select c.iteration from llm_interactions c
                                                               where c.stage_execution_id = e.execution_id
                                                               order by c.sequence desc limit 1))
                              order by e.stage_index, e.branch)
             from (select c.*, max(round) over (partition by stage_index) as stage_round,
                          max(round) over (order by stage_index) as newest
                   from current_stages(s.session_id) c) e
             where e.stage_round = e.newest
            ) as "stages: Json<Vec<StageProgress>>"
        from alert_sessions s where s.alert_id = $1
        "#,
        alert_id,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| AlertStatus {
        session_id: r.session_id,
        status: r.status,
        outcome: r.outcome,
        verdict: r.verdict,
        verdict_summary: r.verdict_summary,
        label: r.label,
        stage_count: r.stage_count,
        error_message: r.error_message,
        final_analysis: r.final_analysis,
        chain_id: r.chain_id,
        stages: r.stages.map(|s| s.0).unwrap_or_default(),
    }))
}

/// Finds the session of an alert.
pub async fn session_of_alert(
    conn: &mut PgConnection,
    alert_id: Uuid,
) -> Result<Option<SessionId>, Error> {
    let id = sqlx::query_scalar!(
        r#"select session_id as "session_id: SessionId" from alert_sessions where alert_id = $1"#,
        alert_id,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id)
}
