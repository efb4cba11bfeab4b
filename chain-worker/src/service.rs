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

/// Posts at the same time; each takes 10 s at most.
const NOTIFIER_SLOTS: usize = 8;

/// A chain worker: its connections, settings and parts.
pub struct ChainService {
    /// For rows; may go through `PgBouncer` in transaction mode.
    pub connections: Connections,
    /// Reaches Postgres itself, for claims, lock and LISTEN.
    pub direct_url: String,
    /// Chains at the same time.
    pub slots: usize,
    /// Leases, draining, polling, crash cap.
    pub queue: QueueSettings,
    /// What the configuration says about its work.
    pub setup: watch::Receiver<Arc<ChainSetup>>,
    /// The hash of its configuration, as other processes see it.
    pub advertised: watch::Receiver<Advertised>,
    /// Where people reach the dashboard; notifications link to it.
    pub public_url: Option<String>,
    /// Wakes workers and event readers; shared by the services of one process.
    pub waker: Waker,
}

impl ChainService {
    /// Runs until `stop` fires, then drains; `hurry` ends the grace period early.
    ///
    /// # Errors
    ///
    /// [`tarsy_queue::Error`] when the worker can't be started.
    pub async fn run(
        self,
        stop: CancellationToken,
        hurry: CancellationToken,
    ) -> Result<(), tarsy_queue::Error> {
        // Draining one of the workers here drains the process, whoever asked for it.
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
                // Without targets there is no such worker, until a reload brings one.
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
        // Nothing changes any more.
        std::future::pending::<()>().await;
    }
}

/// Run to the end, then let the others end too.
async fn stop_after<T>(stop: CancellationToken, work: impl Future<Output = T>) -> T {
    let worked = work.await;
    stop.cancel();
    worked
}
