//! The chain worker: chain jobs, notifications and housekeeping.

use std::sync::Arc;

use tarsy_config::settings::QueueSettings;
use tarsy_config::{AlertMasker, StagePlans};
use tarsy_model::{chain_queue, chain_worker_offers};
use tarsy_queue::{Connections, Waker, Worker, supervise};
use tokio_util::sync::CancellationToken;

use crate::advance::Advancer;
use crate::handler::ChainHandler;
use crate::housekeeping::{self, BackgroundThrottle, RetentionPolicy};
use crate::load::Loader;
use crate::notify::{Notifier, Subscriptions, Target, WEBHOOK_QUEUE};
use crate::runbooks::Runbooks;

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
    /// How configured agents run stages.
    pub plans: StagePlans,
    /// Fetches runbooks.
    pub runbooks: Runbooks,
    /// What is kept, and for how long.
    pub retention: RetentionPolicy,
    /// Masks what search finds.
    pub masker: AlertMasker,
    /// Receive notifications of ended sessions.
    pub notify: Vec<Target>,
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
                Subscriptions::of(&self.notify),
            ),
            runbooks: self.runbooks,
            plans: self.plans,
        };
        let worker = Worker::builder(self.connections.clone(), &self.direct_url)
            .role("chain-worker")
            .version(env!("CARGO_PKG_VERSION"))
            .queues([chain_queue()])
            .offers(Some(chain_worker_offers()))
            .slots(self.slots)
            .lease_ttl(self.queue.lease_ttl)
            .grace(self.queue.drain_grace)
            .poll(self.queue.poll_interval)
            .max_crashes(self.queue.max_crashes)
            .waker(self.waker.clone())
            .hurry(hurry.clone())
            .handler(handler)?;
        let notifying = match self.notify.is_empty() {
            true => None,
            false => Some(tokio::spawn(stop_after(
                stop.clone(),
                Worker::builder(self.connections, &self.direct_url)
                    .role("notifier")
                    .version(env!("CARGO_PKG_VERSION"))
                    .queues([WEBHOOK_QUEUE])
                    .slots(NOTIFIER_SLOTS)
                    .lease_ttl(self.queue.lease_ttl)
                    .grace(self.queue.drain_grace)
                    .poll(self.queue.poll_interval)
                    .waker(self.waker.clone())
                    .hurry(hurry)
                    .handler(Notifier::new(
                        pool.clone(),
                        self.notify,
                        self.masker.clone(),
                        self.public_url.as_deref(),
                    ))?
                    .run(stop.clone()),
            ))),
        };
        tracing::info!(slots = self.slots, "chain worker started");

        let keeping = tokio::spawn({
            let (waker, policy, masker, stop) =
                (self.waker, self.retention, self.masker, stop.clone());
            let timeout = self.queue.schedule_timeout;
            supervise("housekeeping", async move || {
                Box::pin(housekeeping::run(
                    &pool, &waker, &policy, timeout, &masker, &throttle, &stop,
                ))
                .await;
            })
        });
        let worked = stop_after(stop.clone(), worker.run(stop)).await;
        let _ = keeping.await;
        if let Some(notifying) = notifying {
            match notifying.await {
                Ok(ended) => ended?,
                Err(error) => tracing::error!(?error, "the notifier panicked"),
            }
        }
        worked
    }
}

/// Run to the end, then let the others end too.
async fn stop_after<T>(stop: CancellationToken, work: impl Future<Output = T>) -> T {
    let worked = work.await;
    stop.cancel();
    worked
}
