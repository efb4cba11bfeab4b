//! The stage worker.

use std::sync::Arc;

use tarsy_config::settings::QueueSettings;
use tarsy_config::{SpendingLimits, StagePlans};
use tarsy_model::Pool;
use tarsy_queue::{Connections, Waker, Worker};
use tokio_util::sync::CancellationToken;

use crate::begin::Beginner;
use crate::budget::Budget;
use crate::configuration::StoredHashes;
use crate::finish::Finisher;
use crate::handler::StageHandler;
use crate::runner::StageRunner;

/// A stage worker: its connections, settings and parts.
pub struct StageService {
    /// For rows; may go through `PgBouncer` in transaction mode.
    pub connections: Connections,
    /// Reaches Postgres itself, for claims, lock and LISTEN.
    pub direct_url: String,
    /// Pools whose stages it runs.
    pub pools: Vec<Pool>,
    /// Agents and providers that it knows (`Config::offers`): what requires others is left to other
    /// workers. `None`: whatever there is.
    pub offers: Option<Vec<String>>,
    /// Stages at the same time.
    pub slots: usize,
    /// Leases, draining, polling, crash cap.
    pub queue: QueueSettings,
    /// How configured agents run stages: what the next stage of a chain is made due with.
    pub plans: StagePlans,
    /// What chains and the fleet may spend in a day.
    pub spending: SpendingLimits,
    /// What runs a stage.
    pub runner: Arc<dyn StageRunner>,
    /// Wakes workers and event readers; shared by the services of one process.
    pub waker: Waker,
}

impl StageService {
    /// Work until `stop` fires, then drain; `hurry` ends the grace period early.
    ///
    /// # Errors
    ///
    /// [`tarsy_queue::Error`] when the worker can't be started.
    pub async fn run(
        self,
        stop: CancellationToken,
        hurry: CancellationToken,
    ) -> Result<(), tarsy_queue::Error> {
        let handler = StageHandler {
            beginner: Beginner::new(self.connections.clone(), self.waker.clone()),
            finisher: Finisher::new(self.connections.clone(), self.waker.clone()),
            runner: self.runner,
            plans: self.plans,
            budget: Budget::new(self.spending, self.connections.clone()),
            stored: StoredHashes::default(),
            connections: self.connections.clone(),
            waker: self.waker.clone(),
        };
        tracing::info!(pools = ?self.pools, slots = self.slots, "stage worker started");
        Worker::builder(self.connections, &self.direct_url)
            .role("stage-worker")
            .version(env!("CARGO_PKG_VERSION"))
            .queues(self.pools.iter().map(Pool::queue))
            .offers(self.offers)
            .slots(self.slots)
            .lease_ttl(self.queue.lease_ttl)
            .grace(self.queue.drain_grace)
            .poll(self.queue.poll_interval)
            .max_crashes(self.queue.max_crashes)
            .waker(self.waker)
            .hurry(hurry)
            .handler(handler)?
            .run(stop)
            .await
    }
}
