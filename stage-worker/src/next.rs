//! Plans the next stage of a chain, as a chain worker would plan it.

use std::time::Duration;

use tarsy_chain::sole_successor;
use tarsy_config::StagePlans;
use tarsy_model::{ExecutionId, IterationStrategy, Pool, stage_requires};
use tarsy_store::stages::BegunStage;

/// The stage that is due when one ends, completed or failed (a failure is passed on as data).
///
/// Which attempt it is, and whether it is due at all, is decided by the rows when the stage ends.
#[derive(Clone, Debug)]
pub(crate) struct NextStage {
    pub(crate) execution_id: ExecutionId,
    /// Position in the chain.
    pub(crate) index: i32,
    /// Name in the chain.
    pub(crate) name: String,
    /// What runs it; see [`tarsy_model::Actor`].
    pub(crate) agent: String,
    /// Resolved strategy of its agent.
    pub(crate) strategy: Option<IterationStrategy>,
    /// Provider that is named for it.
    pub(crate) llm_provider: Option<String>,
    /// Pool whose workers may run it.
    pub(crate) pool: Pool,
    /// Longest run, all workers together.
    pub(crate) timeout: Duration,
}

impl NextStage {
    /// What `stage` hands on to; `None` when its end does not make exactly one stage due, or when that one can't be
    /// planned here (a session of an older version, an agent of another pool's file): then a chain worker decides.
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

    /// What its job requires.
    pub(crate) fn requires(&self) -> Vec<String> {
        stage_requires(&self.agent, self.llm_provider.as_deref())
    }
}
