//! Runs a worker: claim loop, lease thread, apalis, and the drain at the end.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use apalis::layers::catch_panic::CatchPanicLayer;
use apalis::layers::tracing::TraceLayer;
use apalis::layers::{TimeoutLayer, WorkerBuilderExt as _};
use apalis_core::monitor::Monitor;
use apalis_core::task::Task;
use apalis_core::worker::builder::WorkerBuilder as ApalisBuilder;
use apalis_core::worker::ext::parallelize::ParallelizeExt as _;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Span;
use uuid::Uuid;

use crate::worker::backend::JobBackend;
use crate::worker::claim_loop::{self, Delivery};
use crate::worker::health::Health;
use crate::worker::in_flight::InFlight;
use crate::worker::service::{AnyHandler, HandlerService, SettleLayer};
use crate::worker::settlement::Settler;
use crate::worker::shared::{Lease, Shared};
use crate::worker::stop::StopCause;
use crate::worker::{Worker, lease};
use crate::{Error, STATEMENT_DEADLINE, Waker, supervise};

/// How long a process that ends keeps trying to release jobs if Postgres does not answer.
const ABANDON_AFTER: Duration = Duration::from_secs(2);

pub(crate) async fn run(worker: Worker, stop: CancellationToken) -> Result<(), Error> {
    let config = worker.config;
    let waker = config
        .waker
        .unwrap_or_else(|| Waker::new(config.connections.clone()));
    let shared = Arc::new(Shared {
        owner: Uuid::now_v7(),
        lock_key: AtomicI64::new(rand::random()),
        lease: Lease::new(config.settings.lease),
        slots: Arc::new(Semaphore::new(config.settings.slots)),
        settings: config.settings,
        connections: config.connections,
        waker,
        in_flight: InFlight::default(),
        bell: Arc::default(),
        drain: CancellationToken::new(),
        kill: CancellationToken::new(),
        done: CancellationToken::new(),
        health: Health::default(),
    });
    tarsy_metrics::jobs::serve(&shared.settings.queues);
    shared
        .waker
        .subscribe(&shared.settings.queues, &shared.bell);

    let lease_ended = lease::start(Arc::clone(&shared), worker.direct.clone())?;
    let (sender, receiver) = mpsc::unbounded_channel();
    let again = sender.downgrade();
    let claims = tokio::spawn({
        let (shared, direct) = (Arc::clone(&shared), worker.direct);
        supervise("the claim loop", async move || {
            claim_loop::run(&shared, &direct, &sender).await;
        })
    });
    let abandon = CancellationToken::new();
    let settler = Arc::new(Settler::new(Arc::clone(&shared), abandon.clone()));
    let drain = tokio::spawn(drain(Arc::clone(&shared), stop, config.hurry, abandon));
    let probing = AbortOnDropHandle::new(tokio::spawn({
        let shared = Arc::clone(&shared);
        supervise("probing connections", async move || probe(&shared).await)
    }));

    let settle = SettleLayer {
        settler,
        jobs: again,
    };
    let jobs = monitor(&shared, JobBackend::new(receiver), worker.handler, settle);
    // Runs in a task because the process blocks on the main future in a separate thread. Each job would otherwise wait
    // for two threads to wake.
    match AbortOnDropHandle::new(tokio::spawn(jobs.run())).await {
        Ok(Ok(())) => {}
        // Not reachable, because this backend yields no errors. If it happened, the drain and the leases would give
        // the jobs back.
        Ok(Err(error)) => tracing::error!(?error, "apalis ended with an error"),
        // Not reachable either, because panics of handlers are caught. If it happened, the process must not appear to
        // have ended normally.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => tracing::error!(?error, "apalis was cut off"),
        },
    }

    shared.drain.cancel();
    let _ = claims.await;
    drain.abort();
    drop(probing);
    shared.done.cancel();
    let _ = lease_ended.await;
    Ok(())
}

/// Pings Postgres if statements have got no answer for a third of a lease. They may be slow, or no statement was tried
/// since the last one failed.
async fn probe(shared: &Shared) {
    let lease = shared.settings.lease;
    let mut tick = tokio::time::interval(lease.patience());
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shared.done.run_until_cancelled(tick.tick()).await.is_some() {
        shared.health.cut_off(shared.is_cut_off());
        let since = shared.connections.unanswered_since();
        if since.is_some_and(|since| since.elapsed() > lease.outage() / 3)
            && let Err(error) = shared.connections.probe().await
        {
            tracing::debug!(?error, "a probe got no answer");
        }
    }
}

/// Builds the apalis monitor that runs the handlers. Each job runs in a separate task, is settled and traced, and its
/// panics are caught.
fn monitor(
    shared: &Arc<Shared>,
    backend: JobBackend,
    handler: AnyHandler,
    settle: SettleLayer,
) -> Monitor {
    let name = format!("{}-{}", shared.settings.role, shared.owner);
    let timeout = shared.settings.timeout;
    let shared = Arc::clone(shared);
    Monitor::new()
        .should_restart(|_, _| true)
        .register(move |_restarts| {
            let handler = HandlerService {
                handler: handler.clone(),
                shared: Arc::clone(&shared),
            };
            // The first layer is the outermost.
            ApalisBuilder::new(name.as_str())
                .backend(backend.clone())
                .parallelize(tokio::spawn)
                .layer(settle.clone())
                .layer(CatchPanicLayer::new())
                .option_layer(timeout.map(TimeoutLayer::new))
                .layer(
                    TraceLayer::new()
                        .make_span_with(job_span)
                        .on_request(|_: &Task<Delivery>, _: &Span| {}),
                )
                .build(handler)
        })
}

fn job_span(task: &Task<Delivery>) -> Span {
    let claimed = &task.args.claimed;
    tracing::info_span!(
        "job",
        job.id = %claimed.claim.job_id,
        job.queue = claimed.queue,
        job.kind = claimed.kind,
        job.subject = %claimed.subject,
        job.epoch = claimed.claim.epoch,
    )
}

/// Ends the worker once `stop` fires or a drain is requested. Jobs may continue for the grace period, unless Postgres
/// has stopped answering: their results could not be written.
async fn drain(
    shared: Arc<Shared>,
    stop: CancellationToken,
    hurry: CancellationToken,
    abandon: CancellationToken,
) {
    tokio::select! {
        () = stop.cancelled() => shared.drain.cancel(),
        () = shared.drain.cancelled() => {}
    }
    tokio::select! {
        () = tokio::time::sleep(shared.settings.grace) => {}
        () = hurry.cancelled() => {}
        () = until_postgres_unresponsive(&shared) => {
            tracing::warn!("Postgres does not answer; the grace period ends early");
        }
    }
    let left = shared.in_flight.stop_all(StopCause::Draining);
    if left > 0 {
        tracing::info!(left, "the grace period is over; giving jobs back");
    }
    tokio::time::sleep(shared.settings.stop_time).await;
    shared.kill.cancel();
    tokio::time::sleep(ABANDON_AFTER).await;
    abandon.cancel();
}

/// Returns once statements were tried for longer than [`STATEMENT_DEADLINE`] and none got an answer.
async fn until_postgres_unresponsive(shared: &Shared) {
    let mut tick = tokio::time::interval(STATEMENT_DEADLINE / 20);
    loop {
        tick.tick().await;
        let since = shared.connections.unanswered_since();
        if since.is_some_and(|since| since.elapsed() > STATEMENT_DEADLINE) {
            return;
        }
    }
}
