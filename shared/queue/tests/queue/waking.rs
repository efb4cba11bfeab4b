//! Tests that workers learn of new work at once. These workers never poll, so only a wake-up can start a job.

use std::time::Duration;

use sqlx::Connection as _;
use tarsy_queue::{Outcome, StopCause, Waker, request_cancel};
use tarsy_testing::{TestDb, wait};

use crate::rig::{LIMIT, Rig, conn, job, put, row, sql};

const NEVER: Duration = Duration::from_secs(3600);

/// Starts a worker that has done its first claim and now only listens.
async fn listening(
    db: &TestDb,
    set: impl FnOnce(tarsy_queue::WorkerBuilder) -> tarsy_queue::WorkerBuilder,
) -> Rig {
    put(db.pool(), job()).await;
    let mut rig = Rig::with(db, |b| set(b.poll(NEVER).slots(2)));
    rig.next().await.end(Outcome::Done);
    rig
}

#[tokio::test]
async fn a_notification_wakes_a_worker_of_another_process() {
    let db = TestDb::new().await;
    let mut rig = listening(&db, |b| b).await;
    let elsewhere = Waker::new(db.pool().clone());
    for _ in 0..40 {
        put(db.pool(), job()).await;
        elsewhere.wake("q");
        rig.next().await.end(Outcome::Done);
    }
    rig.stopped().await;
}

#[tokio::test]
async fn a_shared_waker_reaches_the_worker_of_its_own_process_without_postgres() {
    let db = TestDb::new().await;
    // No server listens at this address, so no NOTIFY is ever sent.
    let nowhere = sqlx::PgPool::connect_lazy("postgres://127.0.0.1:1/nowhere").unwrap();
    let waker = Waker::new(nowhere);
    let mut rig = listening(&db, |b| b.waker(waker.clone())).await;
    put(db.pool(), job()).await;
    waker.wake("q");
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_listener_that_lost_its_connection_polls_for_what_it_missed() {
    let db = TestDb::new().await;
    let mut rig = listening(&db, |b| b).await;
    put(db.pool(), job()).await;
    let cut = "select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and application_name like 'rig lease %'";
    sqlx::query(cut).execute(db.pool()).await.unwrap();
    // No wake-up is sent. The first claim after the new session finds the job.
    rig.next().await.end(Outcome::Done);
    put(db.pool(), job()).await;
    let waker = Waker::new(db.pool().clone());
    wait::until("the listener", LIMIT, async || {
        waker.wake("q");
        rig.started().map(|s| s.end(Outcome::Done))
    })
    .await;
    rig.stopped().await;
}

#[tokio::test]
async fn cancelling_a_subject_stops_its_running_job_when_the_transaction_commits() {
    let db = TestDb::new().await;
    let mut rig = listening(&db, |b| b).await;
    let waker = Waker::new(db.pool().clone());
    let id = put(db.pool(), job()).await;
    waker.wake("q");
    let started = rig.next().await;

    let mut c = conn(db.pool()).await;
    let mut tx = c.begin().await.unwrap();
    assert_eq!(
        request_cancel(&mut tx, &[started.subject()]).await.unwrap(),
        1
    );
    assert_eq!(started.job.stop().cause(), None);
    tx.commit().await.unwrap();
    let cause = tokio::time::timeout(LIMIT, started.job.stop().stopped())
        .await
        .unwrap();
    assert_eq!(cause, StopCause::Requested);
    assert_eq!(
        row(db.pool(), id).await.unwrap().state,
        "running",
        "the handler decides"
    );
    let unknown = request_cancel(&mut c, &[uuid::Uuid::now_v7()])
        .await
        .unwrap();
    assert_eq!(unknown, 0);
    started.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_cancellation_whose_notification_was_missed_is_seen_at_the_next_renewal() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_secs(3)));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    let mark = "update jobs set cancel_requested = true where id = $1";
    sqlx::query(mark).bind(id).execute(db.pool()).await.unwrap();
    let cause = tokio::time::timeout(LIMIT, started.job.stop().stopped())
        .await
        .unwrap();
    assert_eq!(cause, StopCause::Requested);
    started.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_job_that_comes_back_is_found_at_the_front_even_if_that_scan_is_expensive() {
    let db = TestDb::new().await;
    let old = put(db.pool(), job()).await;
    let age = "update jobs set rank = rank - interval '1 hour' where id = $1";
    sqlx::query(age).bind(old).execute(db.pool()).await.unwrap();
    // The first claim takes so long that the worker's next periodic one is due in 20 s at the earliest.
    let mut lock = conn(db.pool()).await;
    let mut held = lock.begin().await.unwrap();
    sql(&mut held, "lock table queue_state in access exclusive mode").await;
    let mut rig = Rig::with(&db, |b| b.poll(NEVER).slots(2));
    wait::until("the slow look", LIMIT, async || {
        let waits: bool = sqlx::query_scalar(
            "select exists (select from pg_stat_activity
                            where datname = current_database() and application_name like 'rig claim %'
                              and wait_event_type = 'Lock'
                              and clock_timestamp() - query_start > interval '200 ms')",
        )
        .fetch_one(db.pool())
        .await
        .unwrap();
        waits.then_some(())
    })
    .await;
    held.rollback().await.unwrap();
    let first = rig.next().await;
    // Claims continue from the newer job's rank.
    put(db.pool(), job()).await;
    let waker = Waker::new(db.pool().clone());
    waker.wake("q");
    let newer = rig.next().await;
    first.end(Outcome::Release);
    let again = rig.next().await;
    assert_eq!(again.job.claim().job_id, old);
    again.end(Outcome::Done);
    newer.end(Outcome::Done);
    rig.stopped().await;
}
