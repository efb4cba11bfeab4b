//! Tests that jobs are enqueued in the caller's transaction, once per key.

use std::time::Duration;

use serde_json::json;
use sqlx::Connection as _;
use tarsy_queue::{Enqueued, Outcome, enqueue};
use tarsy_testing::TestDb;

use crate::rig::{Rig, conn, job, put, row, until_deleted};

#[tokio::test]
async fn a_job_exists_exactly_if_its_transaction_commits() {
    let db = TestDb::new().await;
    let mut conn = conn(db.pool()).await;
    let (kept, dropped) = (job(), job());
    let (kept_id, dropped_id) = (kept.id(), dropped.id());

    let mut tx = conn.begin().await.unwrap();
    enqueue(&mut tx, &[dropped]).await.unwrap();
    tx.rollback().await.unwrap();
    let mut tx = conn.begin().await.unwrap();
    enqueue(&mut tx, &[kept]).await.unwrap();
    tx.commit().await.unwrap();

    assert!(row(db.pool(), dropped_id).await.is_none());
    assert_eq!(row(db.pool(), kept_id).await.unwrap().state, "ready");
}

#[tokio::test]
async fn a_duplicate_is_a_no_op_that_does_not_spoil_the_transaction() {
    let db = TestDb::new().await;
    let mut conn = conn(db.pool()).await;
    let mut tx = conn.begin().await.unwrap();
    let first = job().unique_key("chain:1");
    let first_id = first.id();
    let twins = [first, job().unique_key("chain:1"), job()];
    let answer = enqueue(&mut tx, &twins).await.unwrap();
    assert_eq!(
        answer,
        [
            Enqueued::Created(first_id),
            Enqueued::Duplicate,
            Enqueued::Created(twins[2].id())
        ]
    );
    let again = enqueue(&mut tx, &[job().unique_key("chain:1")])
        .await
        .unwrap();
    assert_eq!(again, [Enqueued::Duplicate]);
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_key_is_free_again_when_its_job_is_done() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let first = put(db.pool(), job().unique_key("k")).await;
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), first).await;
    put(db.pool(), job().unique_key("k")).await;
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_handler_sees_what_was_queued() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let queued = job().payload(&json!({"stage": 2})).unwrap();
    put(
        db.pool(),
        queued.traceparent(Some("00-aa-bb-01".to_owned())),
    )
    .await;
    let started = rig.next().await;
    let payload: serde_json::Value = started.job.decode().unwrap();
    assert_eq!(payload, json!({"stage": 2}));
    assert!(started.job.decode::<Vec<String>>().is_err());
    assert_eq!(started.job.traceparent(), Some("00-aa-bb-01"));
    assert_eq!((started.job.kind(), started.job.queue()), ("test", "q"));
    started.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_scheduled_job_waits_for_its_time_and_then_runs_without_any_sweeper() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let later = put(db.pool(), job().delay(Duration::from_millis(400))).await;
    assert_eq!(row(db.pool(), later).await.unwrap().state, "scheduled");
    // The job must not start before it is due, by the database's clock.
    let early: bool = {
        let started = rig.next().await;
        let early = sqlx::query_scalar("select run_at > clock_timestamp() from jobs where id = $1");
        let early = early.bind(later).fetch_one(db.pool()).await.unwrap();
        started.end(Outcome::Done);
        early
    };
    assert!(!early);
    rig.stopped().await;
}

/// Statements of other crates that write jobs leave out the columns that have defaults.
#[tokio::test]
async fn a_bare_job_row_equals_an_enqueued_job() {
    let db = TestDb::new().await;
    let mut conn = conn(db.pool()).await;
    let enqueued = job();
    let id = enqueued.id();
    enqueue(&mut conn, &[enqueued]).await.unwrap();
    let same: bool = sqlx::query_scalar(
        "with bare as (
             insert into jobs (id, queue, kind, subject, priority, rank)
             select gen_random_uuid(), queue, kind, subject, priority, job_rank(priority, run_at) from jobs where id = $1
             returning *
         )
         select (b.payload, b.state, b.max_attempts, b.rank, b.epoch) = (j.payload, j.state, j.max_attempts, j.rank, j.epoch)
                and b.run_at between j.run_at and clock_timestamp()
         from bare b, jobs j where j.id = $1",
    )
    .bind(id)
    .fetch_one(&mut conn)
    .await
    .unwrap();
    assert!(same);
}
