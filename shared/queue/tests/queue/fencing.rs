//! Tests that writes under a lost claim change nothing, and that a held claim can't be taken.

use std::time::Duration;

use sqlx::Connection as _;
use tarsy_queue::{
    DeadReason, Error, Job, Outcome, StopCause, complete, dead_letter, enqueue, lock_claim,
    release, retry, snooze,
};
use tarsy_testing::TestDb;

use crate::recovery::{Sweeping, expire, take_away};
use crate::rig::{LIMIT, Rig, conn, job, put, row, until_deleted, until_row};

/// Starts a job and takes its claim away, without giving it to another worker.
async fn lost(db: &TestDb, rig: &mut Rig) -> (Job, Box<dyn FnOnce()>) {
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    take_away(db.pool(), id, "1 hour").await;
    let job = started.job.clone();
    (job, Box::new(move || started.end(Outcome::Finished)))
}

#[tokio::test]
async fn every_write_under_a_lost_claim_is_refused() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    let (job, end) = lost(&db, &mut rig).await;
    let claim = job.claim();
    let before = row(db.pool(), claim.job_id).await;

    let mut c = conn(db.pool()).await;
    assert!(complete(&mut c, &[claim]).await.unwrap().is_empty());
    let hour = Duration::from_secs(3600);
    let refusals = [
        lock_claim(&mut c, &claim).await.err(),
        retry(&mut c, &claim, hour, "x").await.err(),
        snooze(&mut c, &claim, hour).await.err(),
        release(&mut c, &claim).await.err(),
        dead_letter(&mut c, &claim, DeadReason::Cancelled, "x")
            .await
            .err(),
    ];
    for refusal in refusals {
        assert!(
            matches!(refusal, Some(Error::ClaimLost(lost)) if lost == claim),
            "{refusal:?}"
        );
    }
    assert_eq!(row(db.pool(), claim.job_id).await, before);
    end();
    rig.stopped().await;
}

#[tokio::test]
async fn many_claims_end_in_one_transaction_with_what_follows_them() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(3));
    for _ in 0..3 {
        put(db.pool(), job()).await;
    }
    let started = [rig.next().await, rig.next().await, rig.next().await];
    let claims = started.each_ref().map(|s| s.job.claim());
    take_away(db.pool(), claims[1].job_id, "1 hour").await;

    let mut c = conn(db.pool()).await;
    let mut tx = c.begin().await.unwrap();
    let held = complete(&mut tx, &claims).await.unwrap();
    assert_eq!(held, [claims[0], claims[2]].into());
    let next = tarsy_queue::NewJob::new("next", "test", started[0].subject());
    enqueue(&mut tx, &[next]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(
        row(db.pool(), claims[0].job_id).await.is_some(),
        "undone with its transaction"
    );

    let mut tx = c.begin().await.unwrap();
    assert_eq!(complete(&mut tx, &claims).await.unwrap().len(), 2);
    tx.commit().await.unwrap();
    for s in started {
        s.end(Outcome::Finished);
    }
    assert!(row(db.pool(), claims[0].job_id).await.is_none());
    rig.stopped().await;
}

#[tokio::test]
async fn a_takeover_waits_for_the_transaction_that_holds_the_claim() {
    let db = TestDb::new().await;
    // The lease ends only when the test ends it: this worker renews once in 20 minutes.
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_secs(3600)));
    let sweeping = Sweeping::start(&db);
    let held = put(db.pool(), job()).await;
    let started = rig.next().await;
    let claim = started.job.claim();

    let mut c = conn(db.pool()).await;
    let mut tx = c.begin().await.unwrap();
    lock_claim(&mut tx, &claim).await.unwrap();
    // Renewing changes no key column, so the lock does not block it. This update isn't blocked either.
    expire(db.pool(), held).await;
    sweeping.saw_a_death(&db).await;
    let meanwhile = row(db.pool(), held).await.unwrap();
    assert_eq!(
        (meanwhile.state.as_str(), meanwhile.epoch),
        ("running", claim.epoch)
    );
    tx.commit().await.unwrap();

    let taken = until_row(db.pool(), held, |r| r.epoch > claim.epoch).await;
    assert_eq!(taken.crashes, 1);
    let mut tx = c.begin().await.unwrap();
    assert!(matches!(
        lock_claim(&mut tx, &claim).await,
        Err(Error::ClaimLost(_))
    ));
    drop(tx);
    started.end(Outcome::Finished);
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), held).await;
    sweeping.stopped().await;
    rig.stopped().await;
}

#[tokio::test]
async fn a_worker_learns_at_its_next_renewal_that_a_claim_is_lost() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_secs(3)).slots(2));
    let id = put(db.pool(), job()).await;
    let lost = rig.next().await;
    put(db.pool(), job()).await;
    let kept = rig.next().await;
    take_away(db.pool(), id, "1 hour").await;

    let cause = tokio::time::timeout(LIMIT, lost.job.stop().stopped())
        .await
        .unwrap();
    assert_eq!(cause, StopCause::ClaimLost);
    assert_eq!(kept.job.stop().cause(), None, "the other claim is fine");
    lost.end(Outcome::Done);
    kept.end(Outcome::Done);
    rig.stopped().await;
    assert_eq!(
        row(db.pool(), id).await.unwrap().state,
        "scheduled",
        "a late Done is refused"
    );
}
