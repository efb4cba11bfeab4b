//! A session with its stages and interactions, as the API shows it.

mod conversation;
mod interaction;
mod stage;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tarsy_model::{
    ExecutionId, SessionId, SessionOutcome, SessionStatus, presentable_document, shown_actor,
    unschedulable_reason,
};
use tarsy_queue::Unschedulable;
use tarsy_store::history::{
    Gap, LlmRecord, McpRecord, SessionRecord, Spending, StageRecord, StageTally,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use conversation::Messages;
pub(crate) use interaction::Interaction;
pub(crate) use stage::StageDetail;

use stage::with_current;

use crate::approvals::wait::WaitDetail;
use crate::approvals::waits::SessionWait;
use crate::incidents::SessionIncident;
use crate::questions::turns::Turn;
use crate::sessions::child::ChildDetail;
use crate::sessions::gap;
use crate::sessions::gap::InvestigationGap;
use crate::sessions::spending::SpendingDetail;
use crate::sessions::stage_state::StageStateDetail;
use crate::sessions::triage::SessionCare;

/// A session with its stages, interactions and waits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionDetail {
    #[schema(value_type = Uuid)]
    pub(crate) session_id: SessionId,
    pub(crate) alert_id: Uuid,
    /// The alert as sent, with defaults filled in. An alert that clients can't parse, as older versions accepted, is
    /// shown as `{"unreadable": <reason>, "text": <alert>}`.
    #[schema(value_type = Object)]
    pub(crate) alert_data: Box<RawValue>,
    pub(crate) alert_type: String,
    pub(crate) agent_type: String,
    #[schema(value_type = String)]
    pub(crate) status: SessionStatus,
    #[schema(value_type = Option<String>)]
    pub(crate) outcome: Option<SessionOutcome>,
    /// Result of checking the answer against the tool results; null while the session runs.
    #[schema(example = "partly_supported")]
    pub(crate) verdict: Option<String>,
    /// Basis of the verdict: `summary`, `checked`, `found`, `not_found`, `sentences_not_shown`, `unknown_names`,
    /// `calls`, `answer_cut`, ..
    #[schema(value_type = Option<Object>)]
    pub(crate) verdict_check: Option<Value>,
    /// Label that the concluding agent chose from those of its chain.
    #[schema(example = "noise")]
    pub(crate) label: Option<String>,
    /// Why an ended session has no label although its chain has labels.
    pub(crate) label_error: Option<String>,
    pub(crate) severity: String,
    pub(crate) source: String,
    pub(crate) author: Option<String>,
    pub(crate) duplicate_count: i32,
    pub(crate) alert_timestamp_us: i64,
    pub(crate) resolved_at_us: Option<i64>,
    pub(crate) started_at_us: i64,
    pub(crate) completed_at_us: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) error_message: Option<String>,
    pub(crate) final_analysis: Option<String>,
    pub(crate) chain_id: String,
    /// Definition of the chain when the alert was accepted.
    #[schema(value_type = Object)]
    pub(crate) chain_definition: Value,
    pub(crate) current_stage_index: Option<i32>,
    pub(crate) current_stage_id: Option<String>,
    pub(crate) runbook_url: Option<String>,
    pub(crate) runbook_content: Option<String>,
    pub(crate) runbook_error: Option<String>,
    pub(crate) traceparent: Option<String>,
    /// Session about which this session answers a question. That session's conversation is at
    /// `/api/v1/sessions/{id}/messages`.
    pub(crate) conversation_id: Option<Uuid>,
    /// Session for which this session was created: the one that the question is about, or whose agent dispatched it.
    pub(crate) parent_session_id: Option<Uuid>,
    /// Task of the sub-agent, if an agent dispatched this session.
    pub(crate) task: Option<String>,
    /// Questions about the session with their answers; empty unless interactions are requested too.
    pub(crate) conversation: Vec<Turn>,
    /// Why the session does not continue; null while one of its stages runs and after it has ended.
    pub(crate) waiting: Option<SessionWait>,
    /// Incident to which the session belongs, or from which a person removed it.
    pub(crate) incident: Option<SessionIncident>,
    /// Triage of the session.
    pub(crate) care: SessionCare,
    pub(crate) llm_interaction_count: i64,
    pub(crate) mcp_communication_count: i64,
    pub(crate) total_interactions: i64,
    /// Configurations that the stages used, by hash: agent, instructions, limits, tools, provider and model.
    #[schema(value_type = HashMap<String, Object>)]
    pub(crate) configurations: BTreeMap<String, Value>,
    /// Stages of the chain in order, each with all its branches together.
    pub(crate) stage_states: Vec<StageStateDetail>,
    /// Every attempt of every stage, in the order of the chain. The last attempt of a stage or branch is the current
    /// one.
    pub(crate) stages: Vec<StageDetail>,
    /// Tokens and cost, including sub-agents and the questions about the session.
    pub(crate) spending: SpendingDetail,
    /// Waits of the stages, open and ended, oldest first.
    pub(crate) waits: Vec<WaitDetail>,
    /// Sessions that the session's agents dispatched to sub-agents, oldest first.
    pub(crate) children: Vec<ChildDetail>,
    /// Gaps of the current attempts, in the order in which they occurred: servers that were unreachable, and calls
    /// that were refused or failed.
    pub(crate) gaps: Vec<InvestigationGap>,
}

impl SessionDetail {
    pub(crate) fn new(
        session: SessionRecord,
        stages: Vec<StageRecord>,
        llm: Vec<LlmRecord>,
        mcp: Vec<McpRecord>,
        messages: Messages,
    ) -> Self {
        let mut by_stage: HashMap<ExecutionId, (Vec<LlmRecord>, Vec<McpRecord>)> = HashMap::new();
        for record in llm {
            by_stage
                .entry(record.stage_execution_id)
                .or_default()
                .0
                .push(record);
        }
        for record in mcp {
            by_stage
                .entry(record.stage_execution_id)
                .or_default()
                .1
                .push(record);
        }
        let stages = with_current(stages).map(|(stage, is_current)| {
            let (llm, mcp) = by_stage.remove(&stage.execution_id).unwrap_or_default();
            StageDetail::new(session.session_id, stage, is_current, llm, mcp, messages)
        });
        let stages = stages.collect();
        Self::around(session, stages)
    }

    /// Creates the detail without interactions, which clients then read page by page.
    pub(crate) fn without_record(
        session: SessionRecord,
        stages: Vec<StageRecord>,
        tallies: &HashMap<ExecutionId, StageTally>,
    ) -> Self {
        let stages = with_current(stages).map(|(stage, is_current)| {
            let tally = tallies.get(&stage.execution_id).copied();
            StageDetail::bare(
                session.session_id,
                stage,
                is_current,
                tally.unwrap_or_default(),
            )
        });
        let stages = stages.collect();
        Self::around(session, stages)
    }

    /// Adds the configurations that its stages ran under.
    pub(crate) fn ran_under(mut self, configurations: BTreeMap<String, Value>) -> Self {
        self.configurations = configurations;
        self
    }

    /// Adds to its stages why no live worker can run them.
    pub(crate) fn with_waiting_reasons(mut self, waiting: &[(Uuid, Unschedulable)]) -> Self {
        for (execution, group) in waiting {
            let mut stages = self.stages.iter_mut();
            if let Some(stage) = stages.find(|stage| stage.execution_id.as_uuid() == *execution) {
                stage.waiting_for = Some(unschedulable_reason(
                    &stage.pool,
                    group.has_worker,
                    &group.missing,
                    &group.requires,
                ));
            }
        }
        self
    }

    /// Adds the reason why the session waits.
    pub(crate) fn with_wait(self, waiting: Option<SessionWait>) -> Self {
        Self { waiting, ..self }
    }

    /// Adds the incident that it belongs to.
    pub(crate) fn with_incident(self, incident: Option<SessionIncident>) -> Self {
        Self { incident, ..self }
    }

    /// Adds the waits of its stages.
    pub(crate) fn with_waits(self, waits: Vec<WaitDetail>) -> Self {
        Self { waits, ..self }
    }

    /// Adds the child sessions that its agents dispatched. If it is itself a child, also adds its task.
    pub(crate) fn with_children(self, children: Vec<ChildDetail>, task: Option<String>) -> Self {
        Self {
            children,
            task,
            ..self
        }
    }

    /// Adds its tokens and cost.
    pub(crate) fn with_spending(self, spending: Spending) -> Self {
        Self {
            spending: spending.into(),
            ..self
        }
    }

    /// Adds the gaps of the investigation.
    pub(crate) fn with_gaps(mut self, gaps: Vec<Gap>) -> Self {
        self.gaps = gap::of_current(gaps, &self.stages);
        self
    }

    fn around(session: SessionRecord, stages: Vec<StageDetail>) -> Self {
        let llm_interaction_count = stages.iter().map(|s| s.llm_interaction_count).sum();
        let mcp_communication_count = stages.iter().map(|s| s.mcp_communication_count).sum();
        let label_error = label_error(&session, &stages);
        Self {
            configurations: BTreeMap::new(),
            stage_states: StageStateDetail::all(session.stage_states()),
            stages,
            spending: SpendingDetail::default(),
            waits: Vec::new(),
            children: Vec::new(),
            gaps: Vec::new(),
            session_id: session.session_id,
            alert_id: session.alert_id,
            alert_data: presentable_document(session.alert_data.0),
            alert_type: session.alert_type,
            agent_type: session.agent_type.unwrap_or_default(),
            status: session.status,
            outcome: session.outcome,
            verdict: session.verdict,
            verdict_check: session.verdict_check,
            label: session.label,
            label_error,
            severity: session.severity,
            source: session.source,
            author: session.author,
            duplicate_count: session.duplicate_count,
            alert_timestamp_us: session.alert_timestamp_us,
            resolved_at_us: session.resolved_at_us,
            started_at_us: session.started_at_us,
            completed_at_us: session.completed_at_us,
            duration_ms: session
                .completed_at_us
                .map(|end| (end - session.started_at_us) / 1_000),
            error_message: session.error_message,
            final_analysis: session.final_analysis,
            chain_id: session.chain_id,
            chain_definition: shown_chain(session.chain_definition),
            current_stage_index: session.current_stage_index,
            current_stage_id: session.current_stage_id,
            runbook_url: session.runbook_url,
            runbook_content: session.runbook_content,
            runbook_error: session.runbook_error,
            traceparent: session.traceparent,
            conversation_id: session.conversation_id,
            parent_session_id: session.parent_session_id,
            task: None,
            conversation: Vec::new(),
            waiting: None,
            incident: None,
            care: SessionCare {
                acknowledged_at_us: session.acknowledged_at_us,
                acknowledged_by: session.acknowledged_by,
                assignee: session.assignee,
                rating: session.rating,
                rated_at_us: session.rated_at_us,
                rated_by: session.rated_by,
                faults: session.faults.unwrap_or_default(),
                right_cause: session.right_cause,
                reviewed_at_us: session.reviewed_at_us,
                reviewed_by: session.reviewed_by,
            },
            llm_interaction_count,
            mcp_communication_count,
            total_interactions: llm_interaction_count + mcp_communication_count,
        }
    }
}

/// Returns the reason why an ended session of a chain with labels has no label.
fn label_error(session: &SessionRecord, stages: &[StageDetail]) -> Option<String> {
    let labels = session.chain_definition.get("labels")?.as_array()?;
    if session.completed_at_us.is_none() || session.label.is_some() || labels.is_empty() {
        return None;
    }
    let mut current = stages.iter().rev().filter(|stage| stage.is_current);
    let error = current.find_map(|stage| stage.stage_output.as_ref()?.get("label_error")?.as_str());
    let error = error.unwrap_or("no agent that gives one concluded the session");
    Some(error.to_owned())
}

/// Converts a stored chain for display: with the plain names of its agents.
pub(crate) fn shown_chain(mut chain: Value) -> Value {
    let stages = chain.get_mut("stages").and_then(Value::as_array_mut);
    for stage in stages.into_iter().flatten() {
        show_agent(stage);
        let branches = stage.pointer_mut("/branches/agents");
        let branches = branches.and_then(Value::as_array_mut);
        branches.into_iter().flatten().for_each(show_agent);
    }
    chain
}

fn show_agent(of: &mut Value) {
    if let Some(Value::String(agent)) = of.get_mut("agent") {
        *agent = shown_actor(agent).to_owned();
    }
}
