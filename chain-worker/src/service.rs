//! The chain worker: chain jobs, notifications and housekeeping.

use std::sync::Arc;

use tarsy_config::settings::QueueSettings;
use tarsy_model::chain_queue;
use tarsy_queue::{Advertised, Connections, Waker, Worker, supervise};
use tarsy_transitions::Loader;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::advance::Advancer;
use crate::handler::ChainHandler;
use crate::housekeeping::{self, BackgroundThrottle};
use crate::notify::{Notifier, Subscriptions, WEBHOOK_QUEUE};
use crate::setup::ChainSetup;

/// Number of posts at the same time. Each takes at most 10 s.
const NOTIFIER_SLOTS: usize = 8;

/// A chain worker: its connections, settings and parts.
pub struct ChainService {
    /// Connections for rows. May go through `PgBouncer` in transaction mode.
    pub connections: Connections,
    /// URL that reaches Postgres itself, for claims, lock and LISTEN.
    pub direct_url: String,
    /// Number of chain jobs at the same time.
    pub slots: usize,
    /// Settings of the queue: leases, draining, polling, maximum crashes.
    pub queue: QueueSettings,
    /// Current setup, from the configuration.
    pub setup: watch::Receiver<Arc<ChainSetup>>,
    /// Values that the worker advertises to other processes, including the hash of its configuration.
    pub advertised: watch::Receiver<Advertised>,
    /// Address of the dashboard for people. Notifications link to it.
    pub public_url: Option<String>,
    /// Wakes workers and event readers. Shared by the services of one process.
    pub waker: Waker,
}

impl ChainService {
    /// Runs until `stop` fires, then drains; `hurry` ends the grace period early.
    ///
    /// # Errors
    ///
    /// [`tarsy_queue::Error`] if the worker can't be started.
    pub async fn run(
        self,
        stop: CancellationToken,
        hurry: CancellationToken,
    ) -> Result<(), tarsy_queue::Error> {
        // If one of the workers here drains for any reason, the whole process drains.
        let stop = stop.child_token();
        let pool = self.connections.pool().clone();
        let throttle = Arc::<BackgroundThrottle>::default();
        let handler = ChainHandler {
            throttle: Arc::clone(&throttle),
            loader: Loader::new(self.connections.clone()),
            advancer: Advancer::new(
                self.connections.clone(),
                self.waker.clone(),
                Subscriptions::new(self.setup.clone()),
            ),
            setup: self.setup.clone(),
        };
        let worker = Worker::builder(self.connections.clone(), &self.direct_url)
            .role("chain-worker")
            .version(env!("CARGO_PKG_VERSION"))
            .queues([chain_queue()])
            .advertised(self.advertised.clone())
            .slots(self.slots)
            .lease_ttl(self.queue.lease_ttl)
            .grace(self.queue.drain_grace)
            .poll(self.queue.poll_interval)
            .max_crashes(self.queue.max_crashes)
            .waker(self.waker.clone())
            .hurry(hurry.clone())
            .handler(handler)?;
        let notifier = Worker::builder(self.connections, &self.direct_url)
            .role("notifier")
            .version(env!("CARGO_PKG_VERSION"))
            .queues([WEBHOOK_QUEUE])
            .advertised(self.advertised)
            .slots(NOTIFIER_SLOTS)
            .lease_ttl(self.queue.lease_ttl)
            .grace(self.queue.drain_grace)
            .poll(self.queue.poll_interval)
            .waker(self.waker.clone())
            .hurry(hurry)
            .handler(Notifier::new(
                pool.clone(),
                self.setup.clone(),
                self.public_url.as_deref(),
            ))?;
        let notifying = tokio::spawn({
            let (stop, setup) = (stop.clone(), self.setup.clone());
            async move {
                // Without targets this worker does not run, until a reload adds one.
                if stop.run_until_cancelled(has_targets(setup)).await.is_none() {
                    return Ok(());
                }
                stop_after(stop.clone(), notifier.run(stop)).await
            }
        });
        tracing::info!(slots = self.slots, "chain worker started");

        let keeping = tokio::spawn({
            let (waker, setup, stop) = (self.waker, self.setup, stop.clone());
            let timeout = self.queue.schedule_timeout;
            supervise("housekeeping", async move || {
                Box::pin(housekeeping::run(
                    &pool, &waker, &setup, timeout, &throttle, &stop,
                ))
                .await;
            })
        });
        let worked = stop_after(stop.clone(), worker.run(stop)).await;
        let _ = keeping.await;
        match notifying.await {
            Ok(ended) => ended?,
            Err(error) => tracing::error!(?error, "the notifier panicked"),
        }
        worked
    }
}

/// Returns once the configuration has a notification target.
async fn has_targets(mut setup: watch::Receiver<Arc<ChainSetup>>) {
    let found = setup.wait_for(|setup| !setup.notify.is_empty());
    let is_found = found.await.is_ok();
    if !is_found {
        // No further changes will come.
        std::future::pending::<()>().await;
    }
}

/// Runs the work to its end, then stops the others.
async fn stop_after<T>(stop: CancellationToken, work: impl Future<Output = T>) -> T {
    let worked = work.await;
    stop.cancel();
    worked
}
