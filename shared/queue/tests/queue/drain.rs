//! Tests that draining loses no work and counts against no job.

use std::time::Duration;

use tarsy_queue::{Outcome, StopCause, list_workers, request_drain};
use tarsy_testing::TestDb;
use tokio_util::sync::CancellationToken;

use crate::rig::{LIMIT, Rig, conn, job, put, row, until_deleted};

#[tokio::test]
async fn what_runs_may_finish_and_nothing_new_starts() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let finishing = put(db.pool(), job()).await;
    let started = rig.next().await;
    rig.stop.cancel();
    let waiting = put(db.pool(), job()).await;
    started.end(Outcome::Done);
    until_deleted(db.pool(), finishing).await;
    assert!(rig.started().is_none());
    rig.stopped().await;
    assert_eq!(row(db.pool(), waiting).await.unwrap().state, "ready");
    assert!(
        list_workers(&mut conn(db.pool()).await)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn after_the_grace_period_a_job_is_released_uncounted() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.grace(Duration::from_millis(50)));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    rig.stop.cancel();
    let cause = tokio::time::timeout(LIMIT, started.job.stop().stopped())
        .await
        .unwrap();
    assert_eq!(cause, StopCause::Draining);
    started.end(Outcome::Retry("interrupted".into()));
    rig.stopped().await;
    given_back(&db, id).await;
}

#[tokio::test]
async fn a_second_signal_ends_the_grace_period() {
    let db = TestDb::new().await;
    let hurry = CancellationToken::new();
    let mut rig = Rig::with(&db, |b| {
        b.grace(Duration::from_secs(3600)).hurry(hurry.clone())
    });
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    rig.stop.cancel();
    assert_eq!(started.job.stop().cause(), None);
    hurry.cancel();
    tokio::time::timeout(LIMIT, started.job.stop().stopped())
        .await
        .unwrap();
    started.end(Outcome::Release);
    rig.stopped().await;
    given_back(&db, id).await;
}

#[tokio::test]
async fn a_handler_that_will_not_stop_is_dropped_and_its_job_given_back() {
    let db = TestDb::new().await;
    let short = Duration::from_millis(50);
    let mut rig = Rig::with(&db, |b| b.grace(short).stop_time(short));
    let id = put(db.pool(), job()).await;
    let _deaf = rig.next().await;
    rig.stopped().await;
    given_back(&db, id).await;
}

#[tokio::test]
async fn an_operator_can_ask_a_worker_to_drain() {
    let db = TestDb::new().await;
    // Renewals are far apart, so only the notification can start the drain in time.
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_secs(120)));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    let mut c = conn(db.pool()).await;
    assert!(
        request_drain(&mut c, started.job.claim().owner)
            .await
            .unwrap()
    );
    tarsy_testing::wait::until("the drain", LIMIT, async || {
        let workers = list_workers(&mut conn(db.pool()).await).await.unwrap();
        workers.iter().any(|w| w.draining)
    })
    .await;
    started.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    rig.stopped().await;
}

async fn given_back(db: &TestDb, id: uuid::Uuid) {
    let back = row(db.pool(), id).await.unwrap();
    assert_eq!(back.state, "ready");
    assert_eq!((back.attempts, back.crashes, back.snoozes), (0, 0, 0));
}
