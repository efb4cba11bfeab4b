//! Latency of a claim with a thousand and with a million waiting jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sqlx::PgPool;
use tarsy_queue::{Job, NewJob, Outcome, Worker, enqueue};
use tarsy_testing::TestDb;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::database;
use crate::report::{Figure, percentile};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of waiting jobs in the large queue
    #[arg(long, default_value_t = 1_000_000)]
    waiting: usize,
    /// Number of waiting jobs in the small queue
    #[arg(long, default_value_t = 1_000)]
    few: usize,
    /// Number of measured claims for each queue
    #[arg(long, default_value_t = 2_000)]
    claims: usize,
}

/// Jobs per INSERT.
const BATCH: usize = 5_000;

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let few = latencies_with(options.few, options.claims).await?;
    let many = latencies_with(options.waiting, options.claims).await?;
    let (p50, p99) = (percentile(&few, 0.50), percentile(&few, 0.99));
    Ok(vec![
        Figure::new("queue_claim_few_p50", p50, "ms", None),
        Figure::new("queue_claim_few_p99", p99, "ms", None),
        Figure::new(
            "queue_claim_1m_p50",
            percentile(&many, 0.50),
            "ms",
            Some(p50),
        ),
        Figure::new(
            "queue_claim_1m_p99",
            percentile(&many, 0.99),
            "ms",
            Some(p99),
        ),
    ])
}

/// Returns the latencies from the end of one job to the start of the next, in ms, which is mostly the claim. There is
/// one slot, and always at least `waiting` waiting jobs.
async fn latencies_with(waiting: usize, claims: usize) -> Result<Vec<f64>> {
    let db = database::fresh().await?;
    claims_in(&db, waiting, claims).await
}

/// Like `beside`, but in an existing database.
pub(crate) async fn claims_in(db: &TestDb, waiting: usize, claims: usize) -> Result<Vec<f64>> {
    fill(db.pool(), waiting).await?;
    database::vacuum_and_checkpoint(db.pool()).await?;

    let (started, mut starts) = mpsc::unbounded_channel();
    let ending = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&ending);
    let handler = move |_: Job| {
        let (started, seen) = (started.clone(), Arc::clone(&seen));
        async move {
            let _ = started.send(Instant::now());
            if seen.load(Ordering::Relaxed) {
                // The last job never ends, so that the rest need not be drained.
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            Outcome::Done
        }
    };
    let worker = Worker::builder(db.pool().clone(), db.url())
        .queues(["bench"])
        .slots(1)
        .grace(Duration::ZERO)
        .stop_time(Duration::ZERO)
        .handler(handler)?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(worker.run(stop.clone()));
    let millis = times(&mut starts, db, waiting, claims).await;
    ending.store(true, Ordering::Relaxed);
    stop.cancel();
    run.await??;
    let mut millis = millis?;
    millis.sort_by(f64::total_cmp);
    Ok(millis)
}

async fn times(
    starts: &mut mpsc::UnboundedReceiver<Instant>,
    db: &TestDb,
    waiting: usize,
    claims: usize,
) -> Result<Vec<f64>> {
    // The first claims warm up connections and plans.
    let warm = claims / 10;
    let mut before: Option<Instant> = None;
    let mut millis = Vec::with_capacity(claims);
    for claim in 0..warm + claims {
        if waiting < BATCH && claim % (waiting / 2).max(1) == 0 {
            fill(db.pool(), waiting / 2).await?;
        }
        let start = starts.recv().await.context("the worker ended")?;
        if let Some(before) = before.replace(start).filter(|_| claim >= warm) {
            millis.push((start - before).as_secs_f64() * 1e3);
        }
    }
    Ok(millis)
}

async fn fill(pool: &PgPool, count: usize) -> Result<()> {
    let mut conn = pool.acquire().await?;
    let mut left = count;
    while left > 0 {
        let jobs: Vec<NewJob> = (0..left.min(BATCH))
            .map(|_| NewJob::new("bench", "noop", Uuid::now_v7()))
            .collect();
        enqueue(&mut conn, &jobs).await?;
        left -= jobs.len();
    }
    Ok(())
}
