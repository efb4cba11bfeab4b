//! Measures the queue alone: jobs/s enqueued, jobs/s claimed and completed, and the time from a commit to the start of
//! the handler on an idle system.
//!
//! `DATABASE_URL=<server> cargo run --release -p tarsy-queue --example throughput [JOBS] [SLOTS]`
#![expect(clippy::print_stdout, reason = "it reports to the terminal")]
#![expect(
    clippy::unwrap_used,
    reason = "a measurement that can't run should stop"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tarsy_queue::{Job, NewJob, Outcome, Waker, Worker, enqueue};
use tarsy_testing::TestDb;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |or: usize| args.next().map_or(or, |n| n.parse().unwrap());
    let (jobs, slots) = (number(50_000), number(64));
    let db = TestDb::new().await;
    put_many(&db, jobs).await;
    drain_all(&db, jobs, slots).await;
    hops(&db, "NOTIFY", &Waker::new(db.pool().clone()), None).await;
    let shared = Waker::new(db.pool().clone());
    hops(&db, "shared waker", &shared, Some(shared.clone())).await;
}

async fn put_many(db: &TestDb, jobs: usize) {
    let start = Instant::now();
    let mut conn = db.pool().acquire().await.unwrap();
    for _ in 0..jobs.div_ceil(1000) {
        let batch: Vec<_> = (0..1000).map(|_| job()).collect();
        enqueue(&mut conn, &batch).await.unwrap();
    }
    report("enqueued in batches of 1000", jobs, start.elapsed());
}

async fn drain_all(db: &TestDb, jobs: usize, slots: usize) {
    let (left, done) = (Arc::new(AtomicUsize::new(jobs)), Arc::new(Notify::new()));
    let handler = {
        let (left, done) = (Arc::clone(&left), Arc::clone(&done));
        move |_: Job| {
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                done.notify_one();
            }
            std::future::ready(Outcome::Done)
        }
    };
    let worker = Worker::builder(db.pool().clone(), db.url()).queues(["q"]);
    let worker = worker.slots(slots).handler(handler).unwrap();
    let stop = CancellationToken::new();
    let start = Instant::now();
    let run = tokio::spawn(worker.run(stop.clone()));
    done.notified().await;
    report("claimed, run and completed", jobs, start.elapsed());
    stop.cancel();
    run.await.unwrap().unwrap();
}

/// Runs one job at a time through an idle system, and measures from commit to the handler's start.
async fn hops(db: &TestDb, how: &str, waker: &Waker, shared: Option<Waker>) {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = move |_: Job| {
        let _ = started.send(Instant::now());
        std::future::ready(Outcome::Done)
    };
    let mut builder = Worker::builder(db.pool().clone(), db.url())
        .queues(["q"])
        .slots(8);
    if let Some(waker) = shared {
        builder = builder.waker(waker);
    }
    let stop = CancellationToken::new();
    let run = tokio::spawn(builder.handler(handler).unwrap().run(stop.clone()));
    let mut conn = db.pool().acquire().await.unwrap();
    let mut times = Vec::new();
    for _ in 0..520 {
        enqueue(&mut conn, &[job()]).await.unwrap();
        let committed = Instant::now();
        waker.wake("q");
        times.push(starts.recv().await.unwrap() - committed);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The first jobs warm up connections and plans.
    let mut times = times.split_off(20);
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "idle hop, {how}: p50 {:?}, p99 {:?}, max {:?}",
        at(50),
        at(99),
        at(100)
    );
    stop.cancel();
    run.await.unwrap().unwrap();
}

fn job() -> NewJob {
    let subject = Uuid::now_v7();
    NewJob::new("q", "noop", subject).unique_key(format!("noop:{subject}"))
}

fn report(what: &str, jobs: usize, took: Duration) {
    println!(
        "{what}: {:.0} jobs/s ({jobs} in {took:.2?})",
        jobs as f64 / took.as_secs_f64()
    );
}
