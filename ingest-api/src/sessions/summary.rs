//! Figures of a session.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::{StageStatus, shown_actor};
use tarsy_store::history::{SessionFigures, SessionRecord, SpendingPart, StageRecord};
use utoipa::ToSchema;

/// Metrics of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Summary {
    total_interactions: i64,
    llm_interactions: i64,
    mcp_communications: i64,
    /// Always 0; kept for clients of the first design.
    system_events: i64,
    /// Number of failed interactions.
    errors_count: i64,
    /// Time from acceptance to the end, or until now, in milliseconds.
    total_duration_ms: i64,
    /// Tokens of the whole investigation, including sub-agents and the questions about the session. The counts do not
    /// include these.
    input_tokens: i64,
    /// Counted like `input_tokens`.
    output_tokens: i64,
    /// Counted like `input_tokens`.
    total_tokens: i64,
    /// Estimated cost, summed like `input_tokens`; a lower bound if prices are missing.
    cost_usd: f64,
    chain_statistics: ChainStatistics,
}

/// Numbers of stages of the session's chain.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChainStatistics {
    total_stages: usize,
    completed_stages: usize,
    failed_stages: usize,
    /// Number of started stages by agent.
    stages_by_agent: BTreeMap<String, usize>,
}

impl Summary {
    pub(crate) fn new(
        session: &SessionRecord,
        attempts: &[StageRecord],
        figures: SessionFigures,
        spending: SpendingPart,
        now_us: i64,
    ) -> Self {
        let states = session.stage_states();
        // Attempts are in order, so the last of a stage is its current one.
        let current: BTreeMap<i32, &StageRecord> = attempts
            .iter()
            .map(|stage| (stage.stage_index, stage))
            .collect();
        let count = |status| {
            let with_status = states.iter().filter(|stage| stage.status == Some(status));
            with_status.count()
        };
        let mut stages_by_agent: BTreeMap<String, usize> = BTreeMap::new();
        for stage in current.values() {
            *stages_by_agent
                .entry(shown_actor(&stage.agent).to_owned())
                .or_default() += 1;
        }
        Self {
            total_interactions: figures.llm_interactions + figures.mcp_communications,
            llm_interactions: figures.llm_interactions,
            mcp_communications: figures.mcp_communications,
            system_events: 0,
            errors_count: figures.errors,
            total_duration_ms: (session.completed_at_us.unwrap_or(now_us) - session.started_at_us)
                .max(0)
                / 1_000,
            input_tokens: spending.input_tokens,
            output_tokens: spending.output_tokens,
            total_tokens: spending.input_tokens + spending.output_tokens,
            cost_usd: spending.cost_usd.unwrap_or(0.0),
            chain_statistics: ChainStatistics {
                total_stages: states.len(),
                completed_stages: count(StageStatus::Completed),
                failed_stages: count(StageStatus::Failed),
                stages_by_agent,
            },
        }
    }
}
