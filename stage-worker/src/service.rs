//! The stage worker.

use std::sync::Arc;

use tarsy_config::settings::QueueSettings;
use tarsy_model::Pool;
use tarsy_queue::{Advertised, Connections, Waker, Worker};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::begin::Beginner;
use crate::budget::Budget;
use crate::configuration::StoredHashes;
use crate::eager_decision::EagerDecider;
use crate::finish::Finisher;
use crate::handler::StageHandler;
use crate::setup::StageSetup;

/// A stage worker: its connections, settings and parts.
pub struct StageService {
    /// Connections for rows. May go through `PgBouncer` in transaction mode.
    pub connections: Connections,
    /// URL that reaches Postgres itself, for claims, lock and LISTEN.
    pub direct_url: String,
    /// Pools whose stages the worker runs.
    pub pools: Vec<Pool>,
    /// Values that the worker advertises to other processes: its agents and providers, and the hash of its
    /// configuration.
    pub advertised: watch::Receiver<Advertised>,
    /// Number of stages at the same time.
    pub slots: usize,
    /// Settings of the queue: leases, draining, polling, maximum crashes.
    pub queue: QueueSettings,
    /// Current setup. Each stage keeps the one with which it began.
    pub setup: watch::Receiver<Arc<StageSetup>>,
    /// Wakes workers and event readers. Shared by the services of one process.
    pub waker: Waker,
}

impl StageService {
    /// Runs until `stop` fires, then drains. `hurry` ends the grace period early.
    ///
    /// # Errors
    ///
    /// [`tarsy_queue::Error`] if the worker can't be started.
    pub async fn run(
        self,
        stop: CancellationToken,
        hurry: CancellationToken,
    ) -> Result<(), tarsy_queue::Error> {
        let handler = StageHandler {
            beginner: Beginner::new(self.connections.clone(), self.waker.clone()),
            finisher: Finisher::new(self.connections.clone(), self.waker.clone()),
            decider: EagerDecider::new(&self.connections, &self.waker),
            setup: self.setup.clone(),
            budget: Budget::new(self.connections.clone()),
            stored: StoredHashes::default(),
            connections: self.connections.clone(),
            waker: self.waker.clone(),
        };
        tracing::info!(pools = ?self.pools, slots = self.slots, "stage worker started");
        let worked = Worker::builder(self.connections, &self.direct_url)
            .role("stage-worker")
            .version(env!("CARGO_PKG_VERSION"))
            .queues(self.pools.iter().map(Pool::queue))
            .advertised(self.advertised)
            .slots(self.slots)
            .lease_ttl(self.queue.lease_ttl)
            .grace(self.queue.drain_grace)
            .poll(self.queue.poll_interval)
            .max_crashes(self.queue.max_crashes)
            .waker(self.waker)
            .hurry(hurry.clone())
            .handler(handler)?
            .run(stop)
            .await;
        let runner = Arc::clone(&self.setup.borrow().runner);
        // An orderly shutdown lets a tool server close its own connections.
        tokio::select! {
            () = runner.close() => {}
            () = hurry.cancelled() => {}
        }
        worked
    }
}
