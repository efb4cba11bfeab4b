//! The apalis service: the handler, wrapped in a layer that settles its job.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use apalis_core::error::BoxDynError;
use apalis_core::task::Task;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tarsy_model::ClaimRef;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::WeakUnboundedSender;
use tower::{Layer, Service};

use crate::worker::claim_loop::Delivery;
use crate::worker::job::{Handler, Job, Outcome};
use crate::worker::preclaim::ContinueWith;
use crate::worker::settlement::{LOST, Settler};
use crate::worker::shared::Shared;

/// A type-erased handler, so that the code around it is compiled once, not once for each handler type.
#[derive(Clone)]
pub(crate) struct AnyHandler(Arc<dyn CallHandler>);

impl AnyHandler {
    pub(crate) fn new(handler: impl Handler) -> Self {
        Self(Arc::new(handler))
    }
}

impl fmt::Debug for AnyHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyHandler")
    }
}

/// [`Handler::handle`] with a boxed future.
trait CallHandler: Send + Sync {
    fn call(self: Arc<Self>, job: Job) -> BoxFuture<'static, Result<Outcome, BoxDynError>>;
}

impl<H: Handler> CallHandler for H {
    fn call(self: Arc<Self>, job: Job) -> BoxFuture<'static, Result<Outcome, BoxDynError>> {
        async move { Ok(self.handle(job).await) }.boxed()
    }
}

/// The innermost service, which calls the handler.
pub(crate) struct HandlerService {
    pub(crate) handler: AnyHandler,
    pub(crate) shared: Arc<Shared>,
}

impl Service<Task<Delivery>> for HandlerService {
    type Response = Outcome;
    type Error = BoxDynError;
    type Future = BoxFuture<'static, Result<Outcome, BoxDynError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, task: Task<Delivery>) -> Self::Future {
        let job = Job::new(task.args, Arc::clone(&self.shared));
        Arc::clone(&self.handler.0).call(job)
    }
}

/// Layer that wraps everything that may fail in a [`SettleService`].
#[derive(Clone)]
pub(crate) struct SettleLayer {
    pub(crate) settler: Arc<Settler>,
    pub(crate) jobs: WeakUnboundedSender<Delivery>,
}

impl<S> Layer<S> for SettleLayer {
    type Service = SettleService<S>;

    fn layer(&self, inner: S) -> SettleService<S> {
        SettleService {
            inner,
            settler: Arc::clone(&self.settler),
            jobs: self.jobs.clone(),
        }
    }
}

/// Runs a job to its outcome, settles it, and only then frees the slot.
#[derive(Clone)]
pub(crate) struct SettleService<S> {
    inner: S,
    settler: Arc<Settler>,
    /// Sender of the claim loop's jobs. It is gone once the claim loop has ended.
    jobs: WeakUnboundedSender<Delivery>,
}

impl<S> Service<Task<Delivery>> for SettleService<S>
where
    S: Service<Task<Delivery>, Response = Outcome, Error = BoxDynError>,
    S::Future: Send + 'static,
{
    type Response = ();
    type Error = BoxDynError;
    type Future = BoxFuture<'static, Result<(), BoxDynError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut task: Task<Delivery>) -> Self::Future {
        let settler = Arc::clone(&self.settler);
        let shared = Arc::clone(settler.shared());
        let jobs = self.jobs.clone();
        let slot = task.args.permit.take();
        let claimed = &task.args.claimed;
        let (claim, attempts, stop) = (claimed.claim, claimed.attempts, task.args.stop.clone());
        let (queue, began) = (claimed.queue.clone(), Instant::now());
        tarsy_metrics::jobs::claimed(&queue, claimed.waited.as_secs_f64());
        let held = RenewedClaim {
            shared: Arc::clone(&shared),
            claim,
        };
        // The job was claimed but had not started when the drain began. Release it at once.
        let work = match shared.drain.is_cancelled() {
            true => None,
            false => Some(self.inner.call(task)),
        };
        async move {
            let outcome = match work {
                None => Outcome::Release,
                // If the handler exceeds even the time to stop, it is dropped.
                Some(work) => match shared.kill.run_until_cancelled(work).await {
                    None => Outcome::Release,
                    Some(Ok(outcome)) => outcome,
                    Some(Err(error)) => Outcome::Retry(error),
                },
            };
            let ended = |outcome| {
                tarsy_metrics::jobs::ended(&queue, outcome, began.elapsed().as_secs_f64());
                if outcome == LOST {
                    tarsy_metrics::jobs::lost(&queue);
                }
            };
            match outcome {
                Outcome::ContinueWith(next) => {
                    ended("done");
                    drop(held);
                    continue_with(&settler, &jobs, next, slot).await;
                }
                outcome => {
                    ended(settler.settle(claim, attempts, outcome, stop.cause()).await);
                    drop(held);
                    drop(slot);
                }
            }
            Ok(())
        }
        .boxed()
    }
}

/// Runs the next job in the slot of the job that ended, and the others in their own slots.
async fn continue_with(
    settler: &Settler,
    jobs: &WeakUnboundedSender<Delivery>,
    mut next: ContinueWith,
    mut slot: Option<OwnedSemaphorePermit>,
) {
    let others = std::mem::take(&mut next.others);
    for mut next in std::iter::once(next).chain(others) {
        let slot = next.preclaim.take_slot().or_else(|| slot.take());
        run_next(settler, jobs, next, slot).await;
    }
}

/// Runs a job that was written as held, or releases it if the worker drains.
async fn run_next(
    settler: &Settler,
    jobs: &WeakUnboundedSender<Delivery>,
    mut next: ContinueWith,
    slot: Option<OwnedSemaphorePermit>,
) {
    let stop = settler.shared().in_flight.insert(&next.claimed);
    next.preclaim.resolve();
    let Some(stop) = stop else { return };
    let claim = next.claimed.claim;
    let delivery = Delivery {
        claimed: *next.claimed,
        stop,
        prefetched: next.prefetched,
        permit: slot,
    };
    let sent = jobs
        .upgrade()
        .is_some_and(|jobs| jobs.send(delivery).is_ok());
    if !sent {
        settler.settle(claim, 0, Outcome::Release, None).await;
        settler.shared().in_flight.remove(&claim);
    }
}

/// A guard that removes the claim from the list of renewals when dropped, also during a panic.
struct RenewedClaim {
    shared: Arc<Shared>,
    claim: ClaimRef,
}

impl Drop for RenewedClaim {
    fn drop(&mut self) {
        self.shared.in_flight.remove(&self.claim);
    }
}
