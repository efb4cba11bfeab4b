//! Overviews of sessions for lists.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::{AnswerRating, SessionId, SessionOutcome, SessionStatus, severity_rank};
use uuid::Uuid;

use super::{ListPosition, Sort, StageState};
use crate::Error;

/// A row of a list.
#[derive(Clone, Debug)]
#[expect(
    missing_docs,
    reason = "the columns of alert_sessions, and counts named after what they count"
)]
pub struct SessionOverview {
    pub session_id: SessionId,
    pub alert_id: Uuid,
    pub alert_type: String,
    pub agent_type: String,
    pub status: SessionStatus,
    pub outcome: Option<SessionOutcome>,
    pub verdict: Option<String>,
    /// The verdict in one sentence.
    pub verdict_summary: Option<String>,
    /// Label of the chain that the agent chose for the session.
    pub label: Option<String>,
    pub severity: String,
    pub source: String,
    pub author: Option<String>,
    pub duplicate_count: i32,
    pub resolved_at_us: Option<i64>,
    pub started_at_us: i64,
    pub completed_at_us: Option<i64>,
    pub error_message: Option<String>,
    pub chain_id: String,
    pub conversation_id: Option<Uuid>,
    /// Question that the session answers.
    pub question: Option<String>,
    pub current_stage_index: Option<i32>,
    pub current_stage_id: Option<String>,
    pub total_stages: i32,
    pub completed_stages: i64,
    pub failed_stages: i64,
    pub llm_interaction_count: i64,
    pub mcp_communication_count: i64,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    /// The alert's `alertname`, up to 160 characters.
    pub alert_name: Option<String>,
    /// Cluster, namespace and affected object, as far as the alert names them.
    pub target: String,
    /// Time when a person acknowledged the session, in Unix microseconds.
    pub acknowledged_at_us: Option<i64>,
    pub acknowledged_by: Option<String>,
    pub assignee: Option<String>,
    pub rating: Option<AnswerRating>,
    pub reviewed_at_us: Option<i64>,
    /// Incident of the session, unless it was removed from it.
    pub incident_id: Option<Uuid>,
    /// The first 400 characters of the analysis.
    pub analysis_start: Option<String>,
    /// Names of the stages of its chain, in order.
    stage_names: Value,
    /// One letter per stage, as written by the SQL function `stage_states`; `None` until it is read.
    stage_letters: Option<String>,
    /// Whether the figures of stages and calls come from the sums stored for this end of the session.
    is_tallied: bool,
}

impl SessionOverview {
    /// Returns the state of each stage of the chain, in order.
    #[must_use]
    pub fn stage_states(&self) -> Vec<StageState> {
        let letters = self.stage_letters.as_deref().unwrap_or_default();
        let names = self.stage_names.as_array();
        let name = |name: &Value| name.as_str().unwrap_or_default().to_owned();
        StageState::read(names.into_iter().flatten().map(name).collect(), letters)
    }

    /// Returns the position in a list with this sort key.
    #[must_use]
    pub fn place(&self, sort: Sort) -> ListPosition {
        let us = |us: Option<i64>| us.map(|us| us as f64);
        let key = match sort {
            Sort::StartedAt => us(Some(self.started_at_us)),
            Sort::CompletedAt => us(self.completed_at_us),
            Sort::Duration => us(self.completed_at_us.map(|end| end - self.started_at_us)),
            Sort::Severity => Some(severity_rank(&self.severity) as f64),
            Sort::Cost => self.cost_usd.filter(|_| self.is_tallied),
        };
        ListPosition {
            key,
            started_at_us: self.started_at_us,
            session_id: self.session_id,
        }
    }
}

/// Returns overviews of these sessions, in this order. Omits sessions that no longer exist.
pub(super) async fn overviews(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<Vec<SessionOverview>, Error> {
    if session_ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<Uuid, SessionOverview> = read(conn, session_ids)
        .await?
        .into_iter()
        .map(|session| (session.session_id.as_uuid(), session))
        .collect();
    tally(&mut *conn, &mut found).await?;
    read_stage_states(conn, &mut found).await?;
    Ok(session_ids
        .iter()
        .filter_map(|id| found.remove(id))
        .collect())
}

async fn read(
    conn: &mut PgConnection,
    session_ids: &[Uuid],
) -> Result<Vec<SessionOverview>, Error> {
    Ok(sqlx::query_as!(
        SessionOverview,
        r#"
        select s.session_id as "session_id!: SessionId", s.alert_id as "alert_id!", s.alert_type as "alert_type!", s.agent_type as "agent_type!",
               s.status as "status!: SessionStatus", s.outcome as "outcome: SessionOutcome", s.verdict,
               s.verdict_check ->> 'summary' as verdict_summary, s.label, s.severity as "severity!",
               s.source as "source!", s.author, s.duplicate_count as "duplicate_count!", s.resolved_at_us,
               s.started_at_us as "started_at_us!", s.completed_at_us, s.error_message, s.chain_id as "chain_id!", s.conversation_id,
               case when s.conversation_id is not null then left(s.alert_data ->> 'question', 400) end as question,
               s.current_stage_index, s.current_stage_id,
               case jsonb_typeof(s.chain_definition -> 'stages')
                   when 'array' then jsonb_array_length(s.chain_definition -> 'stages') else 0 end as "total_stages!",
               jsonb_path_query_array(s.chain_definition, '$.stages[*].name') as "stage_names!",
               t.stage_states as "stage_letters?",
               coalesce(t.completed_stages, 0) as "completed_stages!", coalesce(t.failed_stages, 0) as "failed_stages!",
               coalesce(t.llm_calls, 0) as "llm_interaction_count!", coalesce(t.mcp_calls, 0) as "mcp_communication_count!",
               t.input_tokens as "input_tokens?", t.output_tokens as "output_tokens?", t.cost_usd as "cost_usd?",
               left(coalesce(a.labels ->> 'alertname', a.data ->> 'alertname'), 160) as alert_name,
               left(concat_ws(' / ',
                   coalesce(a.data ->> 'cluster', a.labels ->> 'cluster'),
                   coalesce(a.data ->> 'namespace', a.labels ->> 'namespace'),
                   coalesce(a.data ->> 'pod', a.labels ->> 'pod', a.data ->> 'host', a.labels ->> 'host', a.data ->> 'instance',
                            a.labels ->> 'instance', a.data ->> 'service', a.labels ->> 'service')), 160) as "target!",
               left(s.final_analysis, 400) as analysis_start,
               c.acknowledged_at_us as "acknowledged_at_us?", c.acknowledged_by as "acknowledged_by?", c.assignee as "assignee?",
               c.rating as "rating?: AnswerRating", c.reviewed_at_us as "reviewed_at_us?",
               i.incident_id as "incident_id?",
               t.session_id is not null as "is_tallied!"
        from alert_sessions s
        left join session_tallies t on t.session_id = any(array[s.session_id]) and t.completed_at_us = s.completed_at_us
        left join session_care c on c.session_id = any(array[s.session_id])
        left join incident_members i on i.session_id = any(array[s.session_id]) and i.removed_at_us is null
        cross join lateral (
            -- This avoids decompressing a hundred large alerts for one line each.
            select data, coalesce(data -> 'labels', data -> 'commonLabels') as labels
            from (select case when pg_column_size(s.alert_data) < 32768 then s.alert_data end as data) fair
        ) a
        where s.session_id = any($1)
        "#,
        session_ids,
    )
    .fetch_all(conn)
    .await?)
}

/// Computes the sums that are not stored: those of live sessions and of sessions that ended a moment ago. Also reads
/// their current stage from the stages, because the row of a live session may be out of date.
async fn tally(
    conn: &mut PgConnection,
    found: &mut HashMap<Uuid, SessionOverview>,
) -> Result<(), Error> {
    let missing: Vec<Uuid> = found
        .iter()
        .filter(|(_, session)| !session.is_tallied)
        .map(|(id, _)| *id)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let tallies = sqlx::query!(
        r#"select session_id as "session_id!", completed_stages as "completed_stages!", failed_stages as "failed_stages!",
                  llm_calls as "llm_calls!", mcp_calls as "mcp_calls!", input_tokens, output_tokens, cost_usd,
                  stage_states as "stage_states!",
                  current.stage_index as "current_stage_index?", current.stage_id as "current_stage_id?"
           from tallies_of($1) t
           left join lateral (select stage_index, stage_id from stage_executions e where e.session_id = t.session_id
                              order by round desc, stage_index desc limit 1) current on true"#,
        &missing,
    )
    .fetch_all(conn)
    .await?;
    for tally in tallies {
        if let Some(session) = found.get_mut(&tally.session_id) {
            session.current_stage_index = tally.current_stage_index;
            session.current_stage_id = tally.current_stage_id;
            session.stage_letters = Some(tally.stage_states);
            session.completed_stages = tally.completed_stages;
            session.failed_stages = tally.failed_stages;
            session.llm_interaction_count = tally.llm_calls;
            session.mcp_communication_count = tally.mcp_calls;
            session.input_tokens = tally.input_tokens;
            session.output_tokens = tally.output_tokens;
            session.cost_usd = tally.cost_usd;
        }
    }
    Ok(())
}

/// Reads stage states that the stored sums lack: those written by the previous version, and those of very long chains.
async fn read_stage_states(
    conn: &mut PgConnection,
    found: &mut HashMap<Uuid, SessionOverview>,
) -> Result<(), Error> {
    let missing = found
        .iter()
        .filter(|(_, session)| session.stage_letters.is_none());
    let missing: Vec<Uuid> = missing.map(|(id, _)| *id).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"select session_id, stage_states(session_id, chain_definition) as "letters!"
           from alert_sessions where session_id = any($1)"#,
        &missing,
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        if let Some(session) = found.get_mut(&row.session_id) {
            session.stage_letters = Some(row.letters);
        }
    }
    Ok(())
}
