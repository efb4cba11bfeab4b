//! A child session as its parent's detail shows it.

use serde::Serialize;
use tarsy_config::AlertMasker;
use tarsy_model::{ExecutionId, SessionId, SessionOutcome, SessionStatus};
use tarsy_store::children::ChildRecord;
use utoipa::ToSchema;

use crate::problem::Problem;

/// A session that an agent dispatched to a sub-agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChildSession)]
pub(crate) struct ChildDetail {
    #[schema(value_type = Uuid)]
    pub(crate) session_id: SessionId,
    /// Stage whose agent dispatched the session.
    #[schema(value_type = Uuid)]
    pub(crate) parent_execution_id: ExecutionId,
    /// Name of the sub-agent.
    pub(crate) agent: String,
    /// Task of the sub-agent, masked.
    pub(crate) task: String,
    #[schema(value_type = String)]
    pub(crate) status: SessionStatus,
    #[schema(value_type = Option<String>)]
    outcome: Option<SessionOutcome>,
    /// Result of checking the answer against the tool results.
    verdict: Option<String>,
    error_message: Option<String>,
    started_at_us: i64,
    completed_at_us: Option<i64>,
    /// Cost of its stages, without its own sub-agents; null if no call has a price.
    cost_usd: Option<f64>,
}

/// Masks the texts of child sessions, and the session's own task if it is itself a child.
///
/// # Errors
///
/// [`Problem::Internal`] if the masking task does not finish.
pub(crate) async fn masked_children(
    masker: &AlertMasker,
    children: Vec<ChildRecord>,
    task: Option<String>,
) -> Result<(Vec<ChildDetail>, Option<String>), Problem> {
    if children.is_empty() && task.is_none() {
        return Ok((Vec::new(), None));
    }
    let masker = masker.clone();
    // Runs on a blocking thread, because each child has two texts of up to 64 kB.
    let masking = tokio::task::spawn_blocking(move || {
        let children = children.into_iter();
        let children = children.map(|child| ChildDetail::masked(&masker, child));
        (children.collect(), task.map(|task| masker.text(&task)))
    });
    masking
        .await
        .map_err(|error| Problem::Internal(error.into()))
}

impl ChildDetail {
    fn masked(masker: &AlertMasker, child: ChildRecord) -> Self {
        Self {
            session_id: child.session_id,
            parent_execution_id: child.parent_execution_id,
            agent: child.agent,
            task: masker.text(&child.task),
            status: child.status,
            outcome: child.outcome,
            verdict: child.verdict,
            error_message: child.error_message.map(|text| masker.text(&text)),
            started_at_us: child.started_at_us,
            completed_at_us: child.completed_at_us,
            cost_usd: child.cost_usd,
        }
    }
}
