//! Tests that an outage that is shorter than a lease costs a worker nothing.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tarsy_queue::Outcome;
use tarsy_testing::{SilentProxy, TestDb, wait};
use uuid::Uuid;

use crate::recovery::{Sweeping, expiry};
use crate::rig::{LIMIT, Rig, Started, job, put, row, sql, until_deleted};

/// Length of a lease, and so of the longest outage that costs nothing.
const LEASE: Duration = Duration::from_secs(6);
/// Nine tenths of [`LEASE`].
const OUTAGE: Duration = Duration::from_millis(5_400);

/// Returns the microseconds until the job's lease runs out.
async fn time_left(db: &TestDb, id: Uuid) -> i64 {
    let left = "select (extract(epoch from expires_at - clock_timestamp()) * 1e6)::bigint from jobs where id = $1";
    let left = sqlx::query_scalar(left).bind(id);
    left.fetch_one(db.pool()).await.unwrap()
}

/// Waits for a renewal, so that the outage begins right after it.
async fn until_renewed(db: &TestDb, id: Uuid) {
    let mut last = time_left(db, id).await;
    wait::until("a renewal", LEASE, async || {
        let left = time_left(db, id).await;
        std::mem::replace(&mut last, left) < left
    })
    .await;
}

/// Waits for the length of the outage. Panics as soon as the job is stopped.
async fn continues_during_the_outage(held: &Started) {
    let stopped = wait::up_to(OUTAGE, async || held.job.stop().cause()).await;
    assert_eq!(stopped, None);
}

/// Asserts that the job is renewed again under its first claim, and can be ended.
async fn continues_afterwards(db: &TestDb, held: Started) {
    let id = held.job.claim().job_id;
    until_renewed(db, id).await;
    let row = row(db.pool(), id).await.unwrap();
    assert_eq!(
        (row.state.as_str(), row.epoch, row.crashes),
        ("running", 1, 0)
    );
    assert_eq!(held.job.stop().cause(), None);
    held.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_is_silent_for_less_than_a_lease() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let proxy = SilentProxy::before(db.url()).await;
    let mut rig = Rig::through(&db, &proxy.url(), |b| b.lease_ttl(LEASE));
    put(db.pool(), job()).await;
    let held = rig.next().await;
    until_renewed(&db, held.job.claim().job_id).await;
    proxy.pause();
    continues_during_the_outage(&held).await;
    proxy.resume();
    continues_afterwards(&db, held).await;
    rig.stopped().await;
    sweeping.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lease_connection_alone_falls_silent_for_good() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let proxy = SilentProxy::before(db.url()).await;
    let mut rig = Rig::through(&db, &proxy.url(), |b| b.lease_ttl(LEASE));
    put(db.pool(), job()).await;
    let held = rig.next().await;
    until_renewed(&db, held.job.claim().job_id).await;
    proxy.silence().await;
    continues_during_the_outage(&held).await;
    continues_afterwards(&db, held).await;
    rig.stopped().await;
    sweeping.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_jobs_are_locked_for_less_than_a_lease() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let mut rig = Rig::with(&db, |b| b.lease_ttl(LEASE));
    put(db.pool(), job()).await;
    let held = rig.next().await;
    until_renewed(&db, held.job.claim().job_id).await;
    let mut locker = PgConnection::connect(db.url()).await.unwrap();
    sql(&mut locker, "begin").await;
    sql(&mut locker, "lock table jobs in access exclusive mode").await;
    continues_during_the_outage(&held).await;
    sql(&mut locker, "rollback").await;
    continues_afterwards(&db, held).await;
    rig.stopped().await;
    sweeping.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silence_that_outlasts_the_lease_stops_work_before_others_take_it_over() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let mut rig = Rig::through(&db, &proxy.url(), |b| {
        b.lease_ttl(Duration::from_secs(3)).slots(2)
    });
    let id = put(db.pool(), job()).await;
    let held = rig.next().await;
    proxy.silence_for_ever().await;
    let stopped = tokio::time::timeout(LIMIT, held.job.stop().stopped()).await;
    let at = chrono::Utc::now();
    assert!(stopped.is_ok(), "its work is stopped");
    assert!(expiry(db.pool(), id).await > at, "its claim was its own");
    held.end(Outcome::Release);
    rig.stopped().await;
}
