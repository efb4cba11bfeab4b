//! Ended sessions as experience: their conclusions and the evidence for them.

use serde_json::value::RawValue;
use sqlx::PgConnection;
use sqlx::types::Json;
use tarsy_model::{Evidence, SessionId, SessionOutcome};
use uuid::Uuid;

use crate::Error;

/// Maximum length of the part of a conclusion that is read, in characters.
const CONCLUSION_CHARS: i32 = 8_000;
/// Maximum number of tool calls that are read, newest first.
const CALLS: i64 = 12;
/// Maximum length of the part of a tool result that is read, in characters.
const RESULT_CHARS: i32 = 2_000;

/// An ended session. Alert and error are not masked.
#[derive(Clone, Debug)]
pub struct PastSession {
    /// Id of the session.
    pub session_id: SessionId,
    /// Type of its alert.
    pub alert_type: String,
    /// Severity of its alert.
    pub severity: String,
    /// Outcome of the session.
    pub outcome: Option<SessionOutcome>,
    /// Time when the alert was accepted, in Unix microseconds.
    pub started_at_us: i64,
    /// Time when the session ended, in Unix microseconds.
    pub completed_at_us: Option<i64>,
    /// The alert's data.
    pub alert_data: Json<Box<RawValue>>,
    /// The alert's cluster, in its data or labels.
    pub cluster: Option<String>,
    /// The alert's namespace, in its data or labels.
    pub namespace: Option<String>,
    /// The conclusion, up to 8,000 characters.
    pub conclusion: Option<String>,
    /// Reason why there is no conclusion.
    pub error_message: Option<String>,
}

/// Reads those of the sessions that have ended, unordered. Omits questions and sessions of sub-agents.
pub async fn past_sessions(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<Vec<PastSession>, Error> {
    Ok(sqlx::query_as!(
        PastSession,
        r#"
        select s.session_id as "session_id: SessionId", s.alert_type, s.severity, s.outcome as "outcome: SessionOutcome",
               s.started_at_us, s.completed_at_us, s.alert_data as "alert_data: Json<Box<RawValue>>",
               coalesce(s.alert_data ->> 'cluster', l.labels ->> 'cluster') as cluster,
               coalesce(s.alert_data ->> 'namespace', l.labels ->> 'namespace') as namespace,
               left(s.final_analysis, $1) as conclusion, s.error_message
        from alert_sessions s
        cross join lateral (select coalesce(s.alert_data -> 'labels', s.alert_data -> 'commonLabels') as labels) l
        where s.session_id = any($2) and s.completed_at_us is not null and s.parent_session_id is null
        "#,
        CONCLUSION_CHARS,
        session_ids,
    )
    .fetch_all(conn)
    .await?)
}

/// Reads the newest successful tool calls of a session, oldest first.
pub async fn past_evidence(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<Vec<Evidence>, Error> {
    let mut evidence = sqlx::query_as!(
        Evidence,
        r#"
        select step_description as call, left(tool_result #>> '{}', $1) as "result!"
        from mcp_interactions
        where session_id = $2 and communication_type = 'tool_call' and success
          and jsonb_typeof(tool_result) = 'string'
        order by timestamp_us desc, interaction_id desc
        limit $3
        "#,
        RESULT_CHARS,
        session_id.as_uuid(),
        CALLS,
    )
    .fetch_all(conn)
    .await?;
    evidence.reverse();
    Ok(evidence)
}
