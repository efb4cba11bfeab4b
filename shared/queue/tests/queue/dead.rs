//! Tests how an operator requeues or discards dead jobs.

use tarsy_queue::{DeadFilter, Error, Outcome, discard_dead, list_dead, requeue_dead};
use tarsy_testing::TestDb;
use uuid::Uuid;

use crate::rig::{Rig, conn, job, put, row, until_deleted};

#[tokio::test]
async fn a_requeued_job_runs_again_with_fresh_counts_and_a_higher_epoch() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job().max_attempts(1)).await;
    let started = rig.next().await;
    let epoch = started.job.claim().epoch;
    started.end(Outcome::Retry("x".into()));
    until_deleted(db.pool(), id).await;

    let mut c = conn(db.pool()).await;
    assert_eq!(requeue_dead(&mut c, id).await.unwrap(), "q");
    let again = rig.next().await;
    assert_eq!((again.job.claim().job_id, again.job.attempts()), (id, 0));
    assert!(again.job.claim().epoch > epoch);
    again.end(Outcome::Done);
    assert!(matches!(
        requeue_dead(&mut c, id).await,
        Err(Error::NoSuchDeadJob(_))
    ));
    rig.stopped().await;
}

#[tokio::test]
async fn a_dead_job_stays_dead_while_a_live_one_has_its_key() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job().unique_key("k").max_attempts(1)).await;
    rig.next().await.end(Outcome::Retry("x".into()));
    until_deleted(db.pool(), id).await;
    let live = put(db.pool(), job().unique_key("k")).await;
    let mut c = conn(db.pool()).await;
    let refused = requeue_dead(&mut c, id).await;
    assert!(matches!(refused, Err(Error::KeyTaken(key)) if key == "k"));
    assert_eq!(
        list_dead(&mut c, &DeadFilter::default(), 10)
            .await
            .unwrap()
            .len(),
        1
    );
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), live).await;
    rig.stopped().await;
}

#[tokio::test]
async fn a_discarded_job_is_deleted() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let id = put(db.pool(), job()).await;
    rig.next().await.end(Outcome::Cancel("x".into()));
    until_deleted(db.pool(), id).await;
    let mut c = conn(db.pool()).await;
    discard_dead(&mut c, id).await.unwrap();
    assert!(
        list_dead(&mut c, &DeadFilter::default(), 10)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(row(db.pool(), id).await.is_none());
    let unknown = discard_dead(&mut c, Uuid::now_v7()).await;
    assert!(matches!(unknown, Err(Error::NoSuchDeadJob(_))));
    rig.stopped().await;
}
