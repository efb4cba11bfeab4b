//! An attempt of a stage, as the API shows it.

use serde::Serialize;
use serde_json::Value;
use tarsy_chain::{RowPlace, retain_current};
use tarsy_model::{ExecutionId, SessionId, StageStatus, shown_actor};
use tarsy_store::history::{LlmRecord, McpRecord, StageRecord, StageTally};
use utoipa::ToSchema;

use crate::sessions::detail::conversation;
use crate::sessions::detail::conversation::Messages;
use crate::sessions::detail::interaction::{Interaction, ShownMessages};

/// One attempt of one stage.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StageDetail {
    #[schema(value_type = Uuid)]
    pub(crate) stage_execution_id: ExecutionId,
    /// Same as `stage_execution_id`.
    #[schema(value_type = Uuid)]
    pub(crate) execution_id: ExecutionId,
    #[schema(value_type = Uuid)]
    pub(crate) session_id: SessionId,
    /// `<name>_<index>`.
    pub(crate) stage_id: String,
    pub(crate) stage_index: i32,
    pub(crate) stage_name: String,
    pub(crate) agent: String,
    pub(crate) iteration_strategy: Option<String>,
    pub(crate) llm_provider: Option<String>,
    pub(crate) pool: String,
    /// Number of the attempt, from 1. A replay adds one. In a stage with branches, it counts the attempts of all
    /// branches together.
    pub(crate) attempt: i32,
    /// Index of the branch, from 0; 0 for a stage without branches.
    pub(crate) branch: i32,
    /// Number of branches of the stage in this run.
    pub(crate) branch_count: i32,
    /// Name of the branch; null for a stage without branches.
    pub(crate) branch_name: Option<String>,
    /// Item of the branch, if the stage has one branch for each item of a list.
    #[schema(value_type = Option<Object>)]
    pub(crate) branch_item: Option<Value>,
    /// Hash of the configuration that the attempt used, see `configurations` of the session; null until the attempt
    /// has ended.
    pub(crate) configuration_hash: Option<String>,
    /// Whether this is the current attempt of its stage, or of its branch.
    pub(crate) is_current: bool,
    #[schema(value_type = String)]
    pub(crate) status: StageStatus,
    /// Why no live worker can run the attempt; null otherwise. The attempt fails after its `schedule_timeout`.
    pub(crate) waiting_for: Option<String>,
    /// Number of times that a worker died while running the attempt.
    pub(crate) crash_count: i32,
    pub(crate) created_at_us: i64,
    pub(crate) started_at_us: Option<i64>,
    pub(crate) completed_at_us: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    #[schema(value_type = Option<Object>)]
    pub(crate) stage_output: Option<Value>,
    pub(crate) error_message: Option<String>,
    pub(crate) error_class: Option<String>,
    pub(crate) iterations: Option<i32>,
    pub(crate) input_tokens: Option<i64>,
    pub(crate) output_tokens: Option<i64>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) cost_completeness: Option<String>,
    pub(crate) llm_interaction_count: i64,
    pub(crate) mcp_communication_count: i64,
    pub(crate) total_interactions: i64,
    /// Total duration of the interactions, in milliseconds.
    pub(crate) stage_interactions_duration_ms: i64,
    /// Model calls without their messages; empty unless all messages are requested.
    pub(crate) llm_interactions: Vec<Interaction>,
    /// Tool calls and tool lists; empty unless all messages are requested.
    pub(crate) mcp_communications: Vec<Interaction>,
    /// Model calls, tool calls and tool lists in the order in which they happened. As requested, model calls have the
    /// conversation so far (`messages`) or only its new part (`new_messages`).
    pub(crate) chronological_interactions: Vec<Interaction>,
}

impl StageDetail {
    pub(super) fn new(
        session_id: SessionId,
        stage: StageRecord,
        is_current: bool,
        llm: Vec<LlmRecord>,
        mcp: Vec<McpRecord>,
        messages: Messages,
    ) -> Self {
        let took = llm.iter().map(|call| call.duration_ms);
        let took = took.chain(mcp.iter().map(|call| call.duration_ms));
        let tally = StageTally {
            llm: count(llm.len()),
            mcp: count(mcp.len()),
            duration_ms: took.flatten().sum(),
        };
        let mut detail = Self::bare(session_id, stage, is_current, tally);
        if messages == Messages::All {
            let calls = llm.iter().cloned();
            detail.llm_interactions = calls
                .map(|record| Interaction::of_llm(record, ShownMessages::None))
                .collect();
            detail.mcp_communications = mcp.iter().cloned().map(Interaction::of_mcp).collect();
        }
        detail.chronological_interactions = conversation::in_order(llm, mcp, messages);
        detail
    }

    pub(super) fn bare(
        session_id: SessionId,
        stage: StageRecord,
        is_current: bool,
        tally: StageTally,
    ) -> Self {
        Self {
            stage_execution_id: stage.execution_id,
            execution_id: stage.execution_id,
            session_id,
            stage_id: stage.stage_id.unwrap_or_default(),
            stage_index: stage.stage_index,
            stage_name: stage.stage_name,
            agent: shown_actor(&stage.agent).to_owned(),
            iteration_strategy: stage.iteration_strategy,
            llm_provider: stage.llm_provider,
            pool: stage.pool,
            attempt: stage.attempt,
            branch: stage.branch,
            branch_count: stage.branch_count,
            branch_name: stage.branch_name,
            branch_item: stage.branch_item,
            configuration_hash: stage.configuration_hash,
            is_current,
            status: stage.status,
            waiting_for: None,
            crash_count: stage.crash_count,
            created_at_us: stage.created_at_us,
            started_at_us: stage.started_at_us,
            completed_at_us: stage.completed_at_us,
            duration_ms: stage.duration_ms,
            stage_output: stage.stage_output,
            error_message: stage.error_message,
            error_class: stage.error_class,
            iterations: stage.iterations,
            input_tokens: stage.input_tokens,
            output_tokens: stage.output_tokens,
            cost_usd: stage.cost_usd,
            cost_completeness: stage.cost_completeness,
            llm_interaction_count: tally.llm,
            mcp_communication_count: tally.mcp,
            total_interactions: tally.llm + tally.mcp,
            stage_interactions_duration_ms: tally.duration_ms,
            llm_interactions: Vec::new(),
            mcp_communications: Vec::new(),
            chronological_interactions: Vec::new(),
        }
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Returns each attempt and whether it is the current one of its stage or branch, which is the last.
pub(super) fn with_current(stages: Vec<StageRecord>) -> impl Iterator<Item = (StageRecord, bool)> {
    let mut current: Vec<RowPlace> = stages.iter().map(place).collect();
    retain_current(&mut current, |row| *row);
    stages.into_iter().map(move |stage| {
        let is_current = current.contains(&place(&stage));
        (stage, is_current)
    })
}

const fn place(stage: &StageRecord) -> RowPlace {
    RowPlace {
        stage_index: stage.stage_index,
        branch: stage.branch,
        branch_count: stage.branch_count,
        attempt: stage.attempt,
    }
}
