//! From a process's configuration to its chain worker.

use tarsy_boot::{Error, Process};
use tarsy_config::Config;
use tarsy_queue::Waker;

use crate::plan::{AgentPlan, StagePlans};
use crate::runbooks::Runbooks;
use crate::service::ChainService;

/// The chain worker that a process's configuration describes.
///
/// # Errors
///
/// [`Error`] when no database is configured.
pub fn service(process: &Process, waker: Waker) -> Result<ChainService, Error> {
    Ok(ChainService {
        pool: process.pool.clone(),
        direct_url: process.direct_url()?,
        slots: process.settings.chain_worker.concurrency,
        lease_ttl: process.settings.queue.lease_ttl,
        grace: process.settings.queue.drain_grace,
        plans: plans(&process.config),
        runbooks: Runbooks::none(process.pool.clone()),
        waker,
    })
}

/// What the configured agents say about their stages.
#[must_use]
pub fn plans(config: &Config) -> StagePlans {
    let agents = config.agents.iter().map(|(name, agent)| {
        let plan = AgentPlan {
            strategy: agent.iteration_strategy,
            timeout: Some(agent.limits.stage_timeout),
        };
        (name.clone(), plan)
    });
    StagePlans { agents: agents.collect(), default_strategy: config.default_strategy }
}
