//! Plans the row of a stage that becomes due.

use tarsy_chain::{DueStage, SessionState};
use tarsy_config::StagePlans;
use tarsy_model::ExecutionId;
use tarsy_store::stages::NewStage;

/// Plans the row of an attempt from the configuration of its branch's agent. Returns `None` if the chain has no such
/// stage.
#[must_use]
pub fn plan_stage(state: &SessionState, due: &DueStage, plans: &StagePlans) -> Option<NewStage> {
    let stage = state.chain.stages.get(due.index)?;
    let stage = stage.for_branch(due.branch.index);
    let plan = plans.plan(&stage, state.chain.llm_provider.as_deref());
    Some(NewStage {
        execution_id: ExecutionId::generate(),
        session_id: state.session_id,
        stage_index: i32::try_from(due.index).ok()?,
        stage_name: stage.name.clone(),
        agent: stage.kind.actor_name().into_owned(),
        strategy: plan.strategy,
        llm_provider: plan.llm_provider,
        pool: stage.pool.as_str().to_owned(),
        branch: due.branch.clone(),
        attempt: due.attempt,
        round: due.round,
        timeout_ms: i64::try_from(plan.timeout.as_millis()).ok()?,
    })
}
