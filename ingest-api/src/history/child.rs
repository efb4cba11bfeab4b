//! A child session as its parent's detail shows it.

use serde::Serialize;
use tarsy_config::AlertMasker;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus};
use tarsy_store::ChildRecord;
use utoipa::ToSchema;

/// A session that an agent dispatched to a sub-agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChildSession)]
pub(crate) struct ChildDetail {
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    /// The stage whose agent dispatched it.
    #[schema(value_type = Uuid)]
    parent_execution_id: ExecutionId,
    /// The sub-agent.
    agent: String,
    /// What it is to do, masked.
    task: String,
    #[schema(value_type = String)]
    status: SessionStatus,
    #[schema(value_type = Option<String>)]
    outcome: Option<SessionOutcome>,
    error_message: Option<String>,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    /// Of its stages; none without a price. Those of its own children are not in it.
    cost_usd: Option<f64>,
}

impl ChildDetail {
    /// The child, its texts masked.
    pub(crate) fn masked(masker: &AlertMasker, child: ChildRecord) -> Self {
        Self {
            session_id: child.session_id,
            parent_execution_id: child.parent_execution_id,
            agent: child.agent,
            task: masker.text(&child.task),
            status: child.status,
            outcome: child.outcome,
            error_message: child.error_message.map(|text| masker.text(&text)),
            started_at_us: child.started_at_us,
            completed_at_us: child.completed_at_us,
            cost_usd: child.cost_usd,
        }
    }
}
