//! Tests that jobs of dead and frozen processes go to others.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_queue::{Outcome, StopCause, Sweeper, list_workers};
use tarsy_testing::{TestDb, wait};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::rig::{LIMIT, Rig, conn, job, put, row, sql, until_deleted, until_row};
use crate::stand_in::{HOUR, Process};

pub(crate) struct Sweeping {
    stop: CancellationToken,
    run: JoinHandle<()>,
}

impl Sweeping {
    pub(crate) fn start(db: &TestDb) -> Self {
        let stop = CancellationToken::new();
        let (sweeper, ended) = (Sweeper::new(db.url()).unwrap(), stop.clone());
        let run = tokio::spawn(async move { sweeper.run(&ended).await });
        Self { stop, run }
    }

    /// Waits until a whole sweep has passed, so that the death of a process has been noticed.
    pub(crate) async fn saw_a_death(&self, db: &TestDb) {
        let ghost = Process::start(db, "nobody").await;
        let id = ghost.id;
        ghost.kill().await;
        wait::until("the ghost's end", LIMIT, async || !is_listed(db, id).await).await;
    }

    pub(crate) async fn stopped(self) {
        self.stop.cancel();
        self.run.await.unwrap();
    }
}

pub(crate) async fn is_listed(db: &TestDb, worker: Uuid) -> bool {
    let workers = list_workers(&mut conn(db.pool()).await).await.unwrap();
    workers.iter().any(|w| w.id == worker)
}

/// Takes a job's claim away, as a takeover does, and makes the job due only after `pause`.
pub(crate) async fn take_away(pool: &PgPool, id: Uuid, pause: &str) {
    sqlx::query(
        "update jobs set state = 'scheduled', owner = null, expires_at = null, epoch = epoch + 1,
             run_at = clock_timestamp() + $2::text::interval
         where id = $1",
    )
    .bind(id)
    .bind(pause)
    .execute(pool)
    .await
    .unwrap();
}

/// Lets a job's lease run out.
pub(crate) async fn expire(pool: &PgPool, id: Uuid) {
    sqlx::query("update jobs set expires_at = clock_timestamp() - interval '1 s' where id = $1")
        .bind(id)
        .execute(pool)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_jobs_of_a_dead_process_go_to_others_long_before_their_lease_ends() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let process = Process::start(&db, "stage-worker").await;
    let (id, dead) = (process.running_job(db.pool(), HOUR).await, process.id);
    let mut rig = Rig::start(&db);
    // While the process lives, its jobs stay with it.
    sweeping.saw_a_death(&db).await;
    assert!(rig.started().is_none());

    process.kill().await;
    let taken = rig.next().await;
    assert_eq!(
        (taken.job.claim().job_id, taken.job.claim().epoch),
        (id, 2 + 1)
    );
    assert_eq!((taken.job.crashes(), taken.job.attempts()), (1, 0));
    taken.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    wait::until("the dead worker's row", LIMIT, async || {
        !is_listed(&db, dead).await
    })
    .await;
    sweeping.stopped().await;
    rig.stopped().await;
}

#[tokio::test]
async fn a_held_lock_never_prolongs_a_lease() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let frozen = Process::start(&db, "frozen").await;
    let id = frozen
        .running_job(db.pool(), Duration::from_millis(200))
        .await;
    let freed = until_row(db.pool(), id, |r| r.state == "ready").await;
    assert_eq!((freed.epoch, freed.crashes), (2, 1));
    assert!(is_listed(&db, frozen.id).await, "it is frozen, not dead");
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_worker_frees_expired_jobs_of_its_queues_without_any_sweeper() {
    let db = TestDb::new().await;
    let frozen = Process::start(&db, "frozen").await;
    let id = frozen
        .running_job(db.pool(), Duration::from_millis(100))
        .await;
    let mut rig = Rig::start(&db);
    let taken = rig.next().await;
    assert_eq!((taken.job.claim().job_id, taken.job.crashes()), (id, 1));
    taken.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_frozen_sweeper_delays_no_other() {
    let db = TestDb::new().await;
    // Like after SIGSTOP: its session stays open, but its future is not polled any more.
    let frozen = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let sweeper = Sweeper::new(db.url()).unwrap();
    frozen.spawn(async move { sweeper.run(&CancellationToken::new()).await });
    let ghost = Process::start(&db, "nobody").await;
    let (id, url) = (ghost.id, db.url().to_owned());
    ghost.kill().await;
    let frozen = std::thread::spawn(move || {
        frozen.block_on(until_forgotten(&url, id));
        frozen
    });
    let frozen = tokio::task::spawn_blocking(|| frozen.join().unwrap())
        .await
        .unwrap();

    let sweeping = Sweeping::start(&db);
    sweeping.saw_a_death(&db).await;
    sweeping.stopped().await;
    frozen.shutdown_background();
}

async fn until_forgotten(url: &str, worker: Uuid) {
    let mut conn = PgConnection::connect(url).await.unwrap();
    wait::until("the ghost's end", LIMIT, async || {
        let workers = list_workers(&mut conn).await.unwrap();
        workers.iter().all(|w| w.id != worker)
    })
    .await;
}

#[tokio::test]
async fn renewed_leases_do_not_run_out_however_long_a_handler_takes() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_secs(2)));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    let epoch = started.job.claim().epoch;
    let first: chrono::DateTime<chrono::Utc> = expiry(db.pool(), id).await;
    wait::until("three leases", LIMIT * 2, async || {
        expiry(db.pool(), id).await > first + chrono::Duration::seconds(6)
    })
    .await;
    assert_eq!(row(db.pool(), id).await.unwrap().epoch, epoch);
    assert_eq!(started.job.stop().cause(), None);
    started.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    sweeping.stopped().await;
    rig.stopped().await;
}

pub(crate) async fn expiry(pool: &PgPool, id: Uuid) -> chrono::DateTime<chrono::Utc> {
    let expiry = sqlx::query_scalar("select expires_at from jobs where id = $1");
    expiry.bind(id).fetch_one(pool).await.unwrap()
}

#[tokio::test]
async fn a_worker_that_can_not_renew_stops_its_work_itself() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.lease_ttl(Duration::from_millis(600)));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    // Renewals wait for this lock, as they would on a stalled Postgres.
    let mut blocker = PgConnection::connect(db.url()).await.unwrap();
    sql(&mut blocker, "begin").await;
    sql(
        &mut blocker,
        "lock table jobs, workers in access exclusive mode",
    )
    .await;
    let cause = tokio::time::timeout(LIMIT, started.job.stop().stopped())
        .await
        .unwrap();
    assert_eq!(cause, StopCause::ClaimLost);

    started.end(Outcome::Retry("interrupted".into()));
    sql(&mut blocker, "rollback").await;
    let again = rig.next().await;
    assert_eq!(again.job.claim().job_id, id);
    assert_eq!(
        again.job.attempts(),
        0,
        "being cut off is no failure of the job"
    );
    again.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    rig.stopped().await;
}
