//! Tests that a job goes to another worker if its worker lacks resources, and that a shortage of the machine stops
//! claims.

use std::io;

use tarsy_queue::{Outcome, current_shortage, hand_over};
use tarsy_testing::{TestDb, wait};

use crate::rig::{LIMIT, Rig, Started, conn, job, put, row, sql, until_deleted};

async fn until_registered(db: &TestDb, count: i64) {
    wait::until("workers to register", LIMIT, async || {
        let registered: i64 = sqlx::query_scalar("select count(*) from workers")
            .fetch_one(db.pool())
            .await
            .unwrap();
        registered == count
    })
    .await;
}

/// Hands a started job over. Returns whether another worker may take it.
async fn handed_over(db: &TestDb, started: &Started) -> bool {
    let claim = started.job.claim();
    let queue = hand_over(&mut conn(db.pool()).await, &claim).await.unwrap();
    queue.is_some()
}

#[tokio::test]
async fn a_job_is_handed_to_each_worker_once_and_to_three_at_most() {
    let db = TestDb::new().await;
    let mut rigs = [
        Rig::start(&db),
        Rig::start(&db),
        Rig::start(&db),
        Rig::start(&db),
    ];
    until_registered(&db, 4).await;
    let id = put(db.pool(), job()).await;
    let mut tried = Vec::new();
    for left in [2, 1, 0] {
        let started = wait::until("a worker to start it", LIMIT, async || {
            rigs.iter_mut().find_map(Rig::started)
        })
        .await;
        let owner = started.job.claim().owner;
        assert!(!tried.contains(&owner), "a worker that has not tried it");
        tried.push(owner);
        assert_eq!((started.job.attempts(), started.job.crashes()), (0, 0));
        assert_eq!(handed_over(&db, &started).await, left > 0, "{left} left");
        started.end(match left {
            0 => Outcome::Done,
            _ => Outcome::Finished,
        });
    }
    until_deleted(db.pool(), id).await;
    for rig in rigs {
        rig.stopped().await;
    }
}

#[tokio::test]
async fn a_worker_without_a_successor_keeps_its_job() {
    let db = TestDb::new().await;
    let mut alone = Rig::start(&db);
    let id = put(db.pool(), job()).await;
    let started = alone.next().await;
    assert!(!handed_over(&db, &started).await);

    let elsewhere = Rig::with(&db, |builder| builder.queues(["other"]));
    until_registered(&db, 2).await;
    assert!(!handed_over(&db, &started).await, "of another queue");
    // The next heartbeat of these workers would overwrite what the test writes.
    let draining = Rig::with(&db, |builder| builder.lease_ttl(LIMIT * 6));
    until_registered(&db, 3).await;
    sql(
        &mut conn(db.pool()).await,
        "update workers set draining = true
         where id <> (select owner from jobs)",
    )
    .await;
    assert!(!handed_over(&db, &started).await, "they drain");
    assert_eq!(row(db.pool(), id).await.unwrap().state, "running");
    started.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    for rig in [alone, elsewhere, draining] {
        rig.stopped().await;
    }
}

#[tokio::test]
async fn a_worker_takes_a_job_again_that_no_other_took_in_time() {
    let db = TestDb::new().await;
    let mut busy = Rig::with(&db, |builder| builder.slots(1));
    put(db.pool(), job()).await;
    let held = busy.next().await;
    let mut first = Rig::start(&db);
    until_registered(&db, 2).await;
    let id = put(db.pool(), job()).await;
    let started = first.next().await;
    assert!(handed_over(&db, &started).await);
    started.end(Outcome::Finished);
    // A job that was enqueued later is claimed first, so the claim has skipped this one.
    put(db.pool(), job()).await;
    let later = first.next().await;
    assert_ne!(later.job.claim().job_id, id);
    later.end(Outcome::Done);
    sql(
        &mut conn(db.pool()).await,
        "update jobs set tried_at = tried_at - interval '1 minute' where tried_by is not null",
    )
    .await;
    let again = first.next().await;
    assert_eq!(again.job.claim().job_id, id);
    again.end(Outcome::Done);
    held.end(Outcome::Done);
    busy.stopped().await;
    first.stopped().await;
}

#[tokio::test]
async fn a_job_that_fails_for_a_shortage_is_released_and_claims_stop_for_a_while() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job()).await;
    let out_of_files = io::Error::other(io::Error::from_raw_os_error(24));
    rig.next().await.end(Outcome::Retry(out_of_files.into()));
    wait::until("the job to be released", LIMIT, async || {
        row(db.pool(), id).await.unwrap().state == "ready"
    })
    .await;
    let released = row(db.pool(), id).await.unwrap();
    assert_eq!((released.attempts, released.last_error), (0, None));
    assert!(current_shortage().is_some());
    assert!(rig.started().is_none());

    let again = rig.within(LIMIT * 2).await;
    assert_eq!(again.job.claim().job_id, id);
    assert_eq!(current_shortage(), None, "only then");
    again.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    rig.stopped().await;
}
