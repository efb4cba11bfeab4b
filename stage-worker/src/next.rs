//! Plans the next stage of a chain in the same way as a chain worker.

use std::time::Duration;

use tarsy_chain::sole_successor;
use tarsy_config::StagePlans;
use tarsy_model::{ExecutionId, IterationStrategy, Pool, stage_requires};
use tarsy_store::stages::BegunStage;

/// The stage that is due when another one completes or fails (a failure is passed on as data).
///
/// When the stage ends, the rows decide which attempt it is, and whether it is due at all.
#[derive(Clone, Debug)]
pub(crate) struct NextStage {
    pub(crate) execution_id: ExecutionId,
    /// Position in the chain.
    pub(crate) index: i32,
    /// Name in the chain.
    pub(crate) name: String,
    /// Actor that runs the stage; see [`tarsy_model::Actor`].
    pub(crate) agent: String,
    /// Resolved strategy of its agent.
    pub(crate) strategy: Option<IterationStrategy>,
    /// LLM provider configured for the stage.
    pub(crate) llm_provider: Option<String>,
    /// Pool whose workers may run it.
    pub(crate) pool: Pool,
    /// Maximum running time, over all workers.
    pub(crate) timeout: Duration,
}

impl NextStage {
    /// Returns the stage after `stage`. Returns `None` if its end does not make exactly one stage due, or if that
    /// stage can't be planned here (a session of an older version, or an agent of another pool's file). Then a chain
    /// worker decides.
    pub(crate) fn after(stage: &BegunStage, plans: &StagePlans) -> Option<Self> {
        let index = usize::try_from(stage.stage_index).ok()?;
        let (index, next) = sole_successor(&stage.stages, index)?;
        if !plans.can_plan(next) {
            return None;
        }
        let plan = plans.plan(next, stage.chain_llm_provider.as_deref());
        Some(Self {
            execution_id: ExecutionId::generate(),
            index: i32::try_from(index).ok()?,
            name: next.name.clone(),
            agent: next.kind.actor_name().into_owned(),
            strategy: plan.strategy,
            llm_provider: plan.llm_provider,
            pool: next.pool.clone(),
            timeout: plan.timeout,
        })
    }

    /// Returns the requirements of its job.
    pub(crate) fn requires(&self) -> Vec<String> {
        stage_requires(&self.agent, self.llm_provider.as_deref())
    }
}
