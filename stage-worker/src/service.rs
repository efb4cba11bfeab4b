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
    /// For rows; may go through `PgBouncer` in transaction mode.
    pub connections: Connections,
    /// Reaches Postgres itself, for claims, lock and LISTEN.
    pub direct_url: String,
    /// Pools whose stages it runs.
    pub pools: Vec<Pool>,
    /// Agents and providers that it knows, and the hash of its configuration, as other processes see them.
    pub advertised: watch::Receiver<Advertised>,
    /// Stages at the same time.
    pub slots: usize,
    /// Leases, draining, polling, crash cap.
    pub queue: QueueSettings,
    /// What runs stages; each keeps the one that it began with.
    pub setup: watch::Receiver<Arc<StageSetup>>,
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
        // A tool server that is closed in order can say goodbye to what it is connected to.
        tokio::select! {
            () = runner.close() => {}
            () = hurry.cancelled() => {}
        }
        worked
    }
}
