//! Lists of sessions, as the API shows them.

pub(crate) mod handlers;

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_model::{AnswerRating, SessionId, SessionOutcome, SessionStatus};
use tarsy_store::history::{Hits, SessionOverview, Sort};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::approvals::waits::SessionWait;
use crate::incidents::LineIncident;
use crate::sessions::cursor::Cursor;
use crate::sessions::headline::headline;
use crate::sessions::query::ListQuery;
use crate::sessions::stage_state::StageStateDetail;

/// One session of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionLine {
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    alert_id: Uuid,
    alert_type: String,
    /// `chain:<chain_id>`.
    agent_type: String,
    #[schema(value_type = String, example = "completed")]
    status: SessionStatus,
    /// How many stages completed: `completed` (all), `partial` (some) or `failed` (none).
    #[schema(value_type = Option<String>)]
    outcome: Option<SessionOutcome>,
    /// Result of checking the answer against the tool results; null while the session runs.
    #[schema(example = "partly_supported")]
    verdict: Option<String>,
    /// The verdict in one sentence.
    verdict_summary: Option<String>,
    /// Label that the concluding agent chose from those of its chain.
    #[schema(example = "noise")]
    label: Option<String>,
    severity: String,
    /// Kind of sender, e.g. `api` or `alertmanager`.
    source: String,
    author: Option<String>,
    /// Number of duplicates of the alert.
    duplicate_count: i32,
    /// When the source reported that the alert is resolved.
    resolved_at_us: Option<i64>,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    duration_ms: Option<i64>,
    error_message: Option<String>,
    chain_id: String,
    /// Session about which this session answers a question.
    conversation_id: Option<Uuid>,
    /// Beginning of the question that the session answers, masked.
    question: Option<String>,
    current_stage_index: Option<i32>,
    current_stage_id: Option<String>,
    /// Stages of the chain, in order.
    stage_states: Vec<StageStateDetail>,
    total_stages: i32,
    completed_stages: i64,
    failed_stages: i64,
    llm_interaction_count: i64,
    mcp_communication_count: i64,
    total_interactions: i64,
    /// Tokens of the whole investigation, including sub-agents and the ended questions about the session.
    input_tokens: Option<i64>,
    /// Counted like `input_tokens`.
    output_tokens: Option<i64>,
    /// Estimated cost, summed like `input_tokens`; a lower bound if prices are missing.
    cost_usd: Option<f64>,
    /// The alert's `alertname`, masked.
    #[schema(example = "KubePodCrashLooping")]
    alert_name: Option<String>,
    /// Cluster, namespace, and pod, host or service, as far as the alert contains them.
    #[schema(example = "demo / team-payments / ledger-0")]
    target: Option<String>,
    /// When a person acknowledged the session.
    acknowledged_at_us: Option<i64>,
    acknowledged_by: Option<String>,
    /// Person to whom the session is assigned.
    assignee: Option<String>,
    /// A person's rating of the answer: `right`, `partly_right` or `wrong`.
    #[schema(value_type = Option<String>)]
    rating: Option<AnswerRating>,
    /// Time of the review.
    reviewed_at_us: Option<i64>,
    /// Finding in one line: the first meaningful line of the analysis.
    headline: Option<String>,
    /// Why the session does not continue; null while one of its stages runs and after it has ended.
    waiting: Option<SessionWait>,
    /// Incident to which the session belongs.
    incident: Option<LineIncident>,
}

impl SessionLine {
    /// Adds the reason why the session waits.
    pub(crate) fn with_wait(mut self, waits: &mut HashMap<SessionId, SessionWait>) -> Self {
        self.waiting = waits.remove(&self.session_id);
        self
    }
}

impl SessionLine {
    /// Adds the incident that the session belongs to.
    pub(crate) fn with_incident(
        mut self,
        incidents: &mut HashMap<SessionId, LineIncident>,
    ) -> Self {
        self.incident = incidents.remove(&self.session_id);
        self
    }
}

impl From<SessionOverview> for SessionLine {
    fn from(s: SessionOverview) -> Self {
        let stage_states = StageStateDetail::all(s.stage_states());
        Self {
            session_id: s.session_id,
            alert_id: s.alert_id,
            alert_type: s.alert_type,
            agent_type: s.agent_type,
            status: s.status,
            outcome: s.outcome,
            verdict: s.verdict,
            verdict_summary: s.verdict_summary,
            label: s.label,
            severity: s.severity,
            source: s.source,
            author: s.author,
            duplicate_count: s.duplicate_count,
            resolved_at_us: s.resolved_at_us,
            started_at_us: s.started_at_us,
            completed_at_us: s.completed_at_us,
            acknowledged_at_us: s.acknowledged_at_us,
            reviewed_at_us: s.reviewed_at_us,
            acknowledged_by: s.acknowledged_by,
            assignee: s.assignee,
            rating: s.rating,
            duration_ms: s.completed_at_us.map(|end| (end - s.started_at_us) / 1_000),
            error_message: s.error_message,
            chain_id: s.chain_id,
            conversation_id: s.conversation_id,
            question: s.question,
            stage_states,
            current_stage_index: s.current_stage_index,
            current_stage_id: s.current_stage_id,
            total_stages: s.total_stages,
            completed_stages: s.completed_stages,
            failed_stages: s.failed_stages,
            llm_interaction_count: s.llm_interaction_count,
            mcp_communication_count: s.mcp_communication_count,
            total_interactions: s.llm_interaction_count + s.mcp_communication_count,
            input_tokens: s.input_tokens,
            output_tokens: s.output_tokens,
            cost_usd: s.cost_usd,
            alert_name: s.alert_name,
            target: Some(s.target).filter(|target| !target.is_empty()),
            headline: s.analysis_start.as_deref().and_then(headline),
            waiting: None,
            incident: None,
        }
    }
}

/// Position of a page in the results.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pagination {
    page: i64,
    page_size: i64,
    total_pages: i64,
    /// Number of all results. It is exact if it can be counted in 200 ms (beyond 10,000 it may be up to 3 s old).
    /// Otherwise, or with `total=quick`, it is an estimate, see `total_is_exact`.
    total_items: i64,
    total_is_exact: bool,
    /// Lower bound of the number of all results.
    total_at_least: i64,
    /// Cursor of the next page, for `cursor` with the same `sort_by`; fast at any depth. Null at the end. A search
    /// may return a cursor even if the page is not full.
    next_cursor: Option<String>,
    /// Start time that a search reached before it ran out of time. Sessions that started earlier (with
    /// `sort_order=asc`: later) were not searched. Null if every possible match was searched.
    searched_to_us: Option<i64>,
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionList {
    sessions: Vec<SessionLine>,
    pagination: Pagination,
    /// The filters as the service interpreted them.
    #[schema(value_type = Object)]
    filters_applied: Map<String, Value>,
}

impl SessionList {
    /// Creates a page. The sessions in `hits` are one more than requested if there is a next page.
    pub(crate) fn new(
        query: ListQuery,
        hits: Hits,
        mut waits: HashMap<SessionId, SessionWait>,
        mut incidents: HashMap<SessionId, LineIncident>,
    ) -> Self {
        let Hits {
            mut sessions,
            count,
            reached,
        } = hits;
        let size = query.page.limit;
        let limit = usize::try_from(size).unwrap_or(usize::MAX);
        let has_more = sessions.len() > limit;
        sessions.truncate(limit);
        let sort = query.page.sort;
        let next = match (reached, sessions.last()) {
            (Some(reached), _) if sort == Sort::StartedAt => Some(Cursor {
                sort,
                position: reached.into(),
                resumes: true,
            }),
            (_, Some(last)) if has_more => Some(Cursor {
                sort,
                position: last.place(sort),
                resumes: query.resumes,
            }),
            _ => None,
        };
        let seen =
            query.page.offset + i64::try_from(sessions.len()).unwrap_or(0) + i64::from(has_more);
        let total_items = if count.is_exact {
            count.number
        } else {
            count.number.max(seen)
        };
        Self {
            pagination: Pagination {
                page: query.page_number,
                page_size: size,
                total_pages: (total_items + size - 1) / size,
                total_items,
                total_is_exact: count.is_exact,
                total_at_least: count.at_least.max(seen),
                next_cursor: next.map(|next| next.write()),
                searched_to_us: reached.map(|(started_at_us, _)| started_at_us),
            },
            sessions: sessions
                .into_iter()
                .map(|session| SessionLine::from(session).with_wait(&mut waits))
                .map(|line| line.with_incident(&mut incidents))
                .collect(),
            filters_applied: query.applied,
        }
    }
}

/// Sessions that have not ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActiveSessions {
    /// The newest of these sessions, at most 100.
    pub(crate) active_sessions: Vec<SessionLine>,
    /// Number of all these sessions.
    pub(crate) total_count: i64,
}

/// A preset time range.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeRange {
    pub(crate) label: &'static str,
    pub(crate) value: &'static str,
}

/// Values of the session filters.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FilterOptions {
    /// `chain:<chain_id>` of each chain.
    pub(crate) agent_types: Vec<String>,
    /// Agents of stages, both configured ones and ones of past sessions.
    pub(crate) agents: Vec<String>,
    pub(crate) alert_types: Vec<String>,
    pub(crate) chain_ids: Vec<String>,
    pub(crate) severities: Vec<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) environments: Vec<String>,
    pub(crate) clusters: Vec<String>,
    pub(crate) namespaces: Vec<String>,
    /// Persons to whom sessions are assigned.
    pub(crate) assignees: Vec<String>,
    pub(crate) status_options: Vec<&'static str>,
    pub(crate) outcome_options: Vec<&'static str>,
    pub(crate) verdict_options: Vec<&'static str>,
    /// Labels of the configured chains.
    pub(crate) labels: Vec<String>,
    pub(crate) rating_options: Vec<&'static str>,
    pub(crate) time_ranges: Vec<TimeRange>,
}

/// Returns the presets of time ranges.
pub(crate) fn time_ranges() -> Vec<TimeRange> {
    [
        ("Last Hour", "1h"),
        ("Last 4 Hours", "4h"),
        ("Today", "today"),
        ("This Week", "week"),
        ("This Month", "month"),
    ]
    .map(|(label, value)| TimeRange { label, value })
    .into()
}
