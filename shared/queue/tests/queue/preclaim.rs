//! Tests that a handler continues in its slot with the job that became due at the end of its own.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Connection as _;
use tarsy_queue::{Job, Outcome, Preclaim, PreclaimedJob, complete};
use tarsy_testing::TestDb;
use uuid::Uuid;

use crate::rig::{Rig, conn, job, put, row, until_deleted};

/// Renewed once in 20 minutes. A job that is free again sooner was released.
const LONG: Duration = Duration::from_secs(3600);

/// Ends `job` and writes the next one as held, in one transaction. Returns the next job.
async fn end_with_next(db: &TestDb, job: &Job, preclaim: &Preclaim) -> PreclaimedJob {
    let (claim, subject) = (preclaim.claim(), Uuid::now_v7());
    let mut conn = conn(db.pool()).await;
    let mut tx = conn.begin().await.unwrap();
    complete(&mut tx, &[job.claim()]).await.unwrap();
    sqlx::query(
        "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, owner,
                           epoch, expires_at)
         values ($1, 'q', 'next', $2, 'null', 0, 'running', now(), now(), 3, $3, $4,
                 clock_timestamp() + make_interval(secs => $5))",
    )
    .bind(claim.job_id)
    .bind(subject)
    .bind(claim.owner)
    .bind(claim.epoch)
    .bind(preclaim.lease().as_secs_f64())
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
    PreclaimedJob {
        queue: "q".to_owned(),
        kind: "next".to_owned(),
        subject,
        priority: 0,
        traceparent: None,
        prefetched: Some(Arc::new("from before".to_owned())),
    }
}

#[tokio::test]
async fn the_next_job_gets_the_slot_before_waiting_jobs() {
    let db = TestDb::new().await;
    let mut rig = Rig::start(&db);
    put(db.pool(), job()).await;
    let first = rig.next().await;
    let waiting = put(db.pool(), job()).await;
    let preclaim = first.job.preclaim("q", &[]).unwrap();
    let held = end_with_next(&db, &first.job, &preclaim).await;
    let (claim, subject) = (preclaim.claim(), held.subject);
    first.end(preclaim.continue_with(held));

    let mut next = rig.next().await;
    assert_eq!(
        (next.job.claim(), next.subject(), next.job.kind()),
        (claim, subject, "next")
    );
    let prefetched = next.job.take_prefetched::<String>();
    assert_eq!(prefetched.unwrap().as_str(), "from before");
    assert_eq!(row(db.pool(), waiting).await.unwrap().state, "ready");
    next.end(Outcome::Done);
    until_deleted(db.pool(), claim.job_id).await;
    let last = rig.next().await;
    assert_eq!(last.job.claim().job_id, waiting, "the slot is free again");
    last.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn jobs_after_the_first_take_slots_that_are_free() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(3));
    put(db.pool(), job()).await;
    let first = rig.next().await;
    let next = first.job.preclaim("q", &[]).unwrap();
    let mut second = None;
    // The claim loop may hold all slots for a moment.
    tarsy_testing::wait::until("a free slot", crate::rig::LIMIT, async || {
        second = first.job.preclaim_in_other_slot("q", &[]);
        second.is_some()
    })
    .await;
    let second = second.unwrap();
    assert!(
        first.job.preclaim_in_other_slot("q", &[]).is_none(),
        "one slot is the job's, one is the claim loop's"
    );
    let jobs = [
        end_with_next(&db, &first.job, &next).await,
        end_with_next(&db, &first.job, &second).await,
    ];
    let expected = jobs.each_ref().map(|job| job.subject);
    first.end(Preclaim::continue_with_all(
        [next, second].into_iter().zip(jobs),
    ));
    let both = [rig.next().await, rig.next().await];
    let mut ran = both.each_ref().map(|started| started.subject());
    ran.sort_unstable();
    assert_eq!(ran, expected, "both at the same time");
    for one in both {
        one.end(Outcome::Done);
    }
    // Their slots are free again, so three jobs run at the same time.
    for _ in 0..3 {
        put(db.pool(), job()).await;
    }
    let three = [rig.next().await, rig.next().await, rig.next().await];
    for one in three {
        one.end(Outcome::Done);
    }
    rig.stopped().await;
}

#[tokio::test]
async fn a_next_job_whose_reply_was_lost_is_given_back_at_once_and_uncounted() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.lease_ttl(LONG));
    put(db.pool(), job()).await;
    let first = rig.next().await;
    let preclaim = first.job.preclaim("q", &[]).unwrap();
    let held = end_with_next(&db, &first.job, &preclaim).await;
    let claim = preclaim.claim();
    drop(preclaim);
    first.end(Outcome::Retry("the reply was lost".into()));

    let mut again = rig.next().await;
    assert_eq!(again.subject(), held.subject);
    assert!(again.job.take_prefetched::<String>().is_none());
    assert!(again.job.claim().epoch > claim.epoch, "fenced off");
    assert_eq!((again.job.crashes(), again.job.attempts()), (0, 0));
    again.end(Outcome::Done);
    until_deleted(db.pool(), claim.job_id).await;
    rig.stopped().await;
}

#[tokio::test]
async fn a_draining_worker_gives_it_back_and_claims_nothing_ahead() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.lease_ttl(LONG));
    put(db.pool(), job()).await;
    let first = rig.next().await;
    assert!(first.job.preclaim("other", &[]).is_none(), "not its queue");
    let preclaim = first.job.preclaim("q", &[]).unwrap();
    let held = end_with_next(&db, &first.job, &preclaim).await;
    rig.stop.cancel();
    tarsy_testing::wait::until("a drain", crate::rig::LIMIT, async || {
        match first.job.preclaim("q", &[]) {
            Some(unused) => {
                unused.unused();
                false
            }
            None => true,
        }
    })
    .await;
    let id = preclaim.claim().job_id;
    first.end(preclaim.continue_with(held));
    rig.stopped().await;
    let left = row(db.pool(), id).await.unwrap();
    assert_eq!(
        (left.state.as_str(), left.crashes, left.attempts),
        ("ready", 0, 0)
    );
}
