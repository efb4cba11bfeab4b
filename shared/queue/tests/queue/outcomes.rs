//! Tests the outcomes that a handler can return.

use std::time::Duration;

use tarsy_queue::{DeadFilter, DeadReason, Error, Handler, Job, Outcome, Worker, list_dead};
use tarsy_testing::TestDb;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, conn, job, make_due, put, row, until_deleted, until_row};

#[tokio::test]
async fn a_retry_costs_an_attempt_and_the_last_one_is_the_end() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job().max_attempts(2)).await;
    let started = rig.next().await;
    assert!(!started.job.is_last_attempt());
    started.end(Outcome::Retry("no route to host".into()));
    let failed = until_row(db.pool(), id, |r| r.attempts == 1).await;
    assert_eq!(failed.last_error.as_deref(), Some("no route to host"));
    assert_eq!((failed.crashes, failed.snoozes), (0, 0));

    make_due(db.pool()).await;
    let started = rig.next().await;
    assert_eq!(
        (started.job.attempts(), started.job.is_last_attempt()),
        (1, true)
    );
    started.end(Outcome::Retry("still none".into()));
    until_deleted(db.pool(), id).await;
    let dead = list_dead(&mut conn(db.pool()).await, &DeadFilter::default(), 10)
        .await
        .unwrap();
    assert_eq!(
        (dead[0].id, dead[0].reason, dead[0].attempts),
        (id, DeadReason::Exhausted, 2)
    );
    assert_eq!(dead[0].error, "still none");
    rig.stopped().await;
}

#[tokio::test]
async fn a_snooze_waits_at_least_as_long_as_asked_and_costs_no_attempt() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job().max_attempts(1)).await;
    rig.next()
        .await
        .end(Outcome::Snooze(Duration::from_secs(3600)));
    let asleep = until_row(db.pool(), id, |r| r.snoozes == 1).await;
    assert_eq!((asleep.state.as_str(), asleep.attempts), ("scheduled", 0));
    let far = "select run_at > clock_timestamp() + interval '59 minutes' from jobs where id = $1";
    let far: bool = sqlx::query_scalar(far)
        .bind(id)
        .fetch_one(db.pool())
        .await
        .unwrap();
    assert!(far);
    make_due(db.pool()).await;
    let again = rig.next().await;
    assert_eq!((again.job.snoozes(), again.job.attempts()), (1, 0));
    again.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_job_that_found_no_connection_runs_again_soon_and_uncounted() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    // A chain of causes, as handlers return it.
    let lacks = || Error::from(sqlx::Error::PoolTimedOut).into();
    let id = put(db.pool(), job().max_attempts(2)).await;
    for _ in 0..3 {
        rig.next().await.end(Outcome::Retry(lacks()));
    }
    let again = rig.next().await;
    assert_eq!(again.job.claim().job_id, id);
    assert_eq!((again.job.attempts(), again.job.snoozes()), (0, 0));
    again.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    rig.stopped().await;
}

#[tokio::test]
async fn cancelled_and_parked_jobs_are_dead_with_their_reason() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let cancelled = put(db.pool(), job()).await;
    rig.next()
        .await
        .end(Outcome::Cancel("chain was deleted".into()));
    until_deleted(db.pool(), cancelled).await;
    let parked = put(db.pool(), job()).await;
    rig.next()
        .await
        .end(Outcome::DeadLetter("unknown kind".into()));
    until_deleted(db.pool(), parked).await;

    let dead = list_dead(
        &mut conn(db.pool()).await,
        &DeadFilter {
            queue: Some("q".into()),
            ..DeadFilter::default()
        },
        10,
    )
    .await
    .unwrap();
    let seen: Vec<_> = dead
        .iter()
        .map(|d| (d.id, d.reason, d.error.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (parked, DeadReason::Undecodable, "unknown kind"),
            (cancelled, DeadReason::Cancelled, "chain was deleted"),
        ]
    );
    rig.stopped().await;
}

#[tokio::test]
async fn a_released_job_is_as_if_it_had_never_run() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job()).await;
    rig.next().await.end(Outcome::Release);
    let again = rig.next().await;
    let counts = row(db.pool(), id).await.unwrap();
    assert_eq!((counts.attempts, counts.crashes, counts.snoozes), (0, 0, 0));
    again.end(Outcome::Done);
    rig.stopped().await;
}

/// Panics on its first delivery, as a bug might.
struct Buggy;

impl Handler for Buggy {
    async fn handle(&self, job: Job) -> Outcome {
        assert!(job.attempts() > 0, "index out of bounds");
        Outcome::Done
    }
}

#[tokio::test]
async fn a_panicking_handler_fails_its_job_and_nothing_else() {
    let db = TestDb::new().await;
    let builder = Worker::builder(db.pool().clone(), db.url()).queues(["q"]);
    let worker = builder
        .poll(Duration::from_millis(50))
        .handler(Buggy)
        .unwrap();
    let stop = CancellationToken::new();
    let run = tokio::spawn(worker.run(stop.clone()));
    let id = put(db.pool(), job()).await;
    let failed = until_row(db.pool(), id, |r| r.attempts == 1).await;
    assert!(failed.last_error.unwrap().contains("index out of bounds"));
    make_due(db.pool()).await;
    until_deleted(db.pool(), id).await;
    stop.cancel();
    run.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_handler_beyond_its_timeout_is_dropped_and_its_job_fails() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.timeout(Some(Duration::from_millis(50))));
    let id = put(db.pool(), job()).await;
    let _never_answered = rig.next().await;
    until_row(db.pool(), id, |r| r.attempts == 1).await;
    rig.stopped().await;
}
