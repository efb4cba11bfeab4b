//! Tests that a live process is not taken for dead, and that a crash counted by mistake is taken back.

use std::path::Path;
use std::time::Duration;

use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_queue::{Outcome, StopCause};
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::{TestDb, wait};
use url::Url;
use uuid::Uuid;

use crate::recovery::{Sweeping, expire, is_listed};
use crate::rig::{LIMIT, Rig, job, put, row, sql, until_deleted, until_row};
use crate::stand_in::{HOUR, Process};

/// Long enough for sweepers to miss a process twice.
const OUTAGE: Duration = Duration::from_millis(1200);

/// Ends all sessions of this name.
async fn cut(pool: &PgPool, name: &str) {
    let cut = "select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and application_name like $1";
    sqlx::query(cut).bind(name).execute(pool).await.unwrap();
}

/// Returns whether the job is still as it was first claimed.
async fn is_untouched(pool: &PgPool, id: Uuid, epoch: i64) -> bool {
    let row = row(pool, id).await.unwrap();
    (row.state.as_str(), row.epoch, row.crashes) == ("running", epoch, 0)
}

#[tokio::test]
async fn losing_the_lease_connection_alone_costs_a_worker_nothing() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let id = put(db.pool(), job()).await;
    let held = rig.next().await;
    sweeping.saw_a_death(&db).await;
    for _ in 0..4 {
        let moved = wait::up_to(OUTAGE, async || {
            cut(db.pool(), "rig lease%").await;
            !is_untouched(db.pool(), id, 1).await
        })
        .await;
        assert!(moved.is_none(), "{:?}", row(db.pool(), id).await);
    }
    assert_eq!(held.job.stop().cause(), None);
    held.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    sweeping.stopped().await;
    rig.stopped().await;
}

#[tokio::test]
async fn a_process_lives_as_long_as_one_of_its_sessions_and_no_longer() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let process = Process::start(&db, "elsewhere").await;
    let id = process.running_job(db.pool(), HOUR).await;
    let worker = process.id;
    let claims = process.another_session().await;
    process.lose_lease().await;
    sweeping.saw_a_death(&db).await;
    sweeping.saw_a_death(&db).await;
    assert!(is_untouched(db.pool(), id, 1).await);

    claims.close_hard().await.unwrap();
    let freed = until_row(db.pool(), id, |r| r.state == "ready").await;
    assert_eq!((freed.crashes, freed.epoch), (1, 2));
    wait::until("the worker's end", LIMIT, async || {
        !is_listed(&db, worker).await
    })
    .await;
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_session_that_works_for_long_is_a_sign_of_life_until_its_process_ends() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let process = Process::start(&db, "elsewhere").await;
    let id = process.running_job(db.pool(), HOUR).await;
    let mut busy = process.another_session().await;
    let statement = tokio::spawn(async move {
        let _ = sqlx::raw_sql("set statement_timeout = 0; select pg_sleep(3600)")
            .execute(&mut busy)
            .await;
    });
    process.lose_lease().await;
    let moved = wait::up_to(OUTAGE, async || !is_untouched(db.pool(), id, 1).await).await;
    assert!(moved.is_none(), "{:?}", row(db.pool(), id).await);

    // The statement runs for an hour, but its client is gone.
    statement.abort();
    until_row(db.pool(), id, |r| r.state == "ready").await;
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_worker_that_comes_back_takes_its_counted_crash_back() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let mut frozen = Rig::with(&db, |b| b.lease_ttl(HOUR));
    let id = put(db.pool(), job()).await;
    let lost = frozen.next().await;
    // Wait until the lease thread has nothing to do. On a busy machine it may still come back before anyone checks.
    sweeping.saw_a_death(&db).await;
    keep_counted_crashes(db.pool()).await;
    expire(db.pool(), id).await;
    let mut other = Rig::with(&db, |b| b.lease_ttl(HOUR));
    let taken = other.next().await;
    assert_eq!(taken.job.claim().job_id, id);

    // The worker learns of it when it connects again.
    cut(db.pool(), "rig lease%").await;
    let row = until_row(db.pool(), id, |r| r.crashes == 0).await;
    assert_eq!((row.state.as_str(), row.epoch), ("running", 3));
    assert_eq!(counted_crashes(db.pool()).await, [1]);
    let cause = tokio::time::timeout(LIMIT, lost.job.stop().stopped()).await;
    assert_eq!(cause.unwrap(), StopCause::ClaimLost);
    assert_eq!(taken.job.stop().cause(), None);
    lost.end(Outcome::Release);
    taken.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    sweeping.stopped().await;
    frozen.stopped().await;
    other.stopped().await;
}

/// Records each increase of the crashes of any job.
async fn keep_counted_crashes(pool: &PgPool) {
    sqlx::raw_sql(
        "create table counted_crashes (crashes int not null);
         create function keep_counted_crashes() returns trigger language plpgsql as $$
             begin insert into counted_crashes values (new.crashes); return null; end $$;
         create trigger keep_counted_crashes after update on jobs for each row
             when (new.crashes > old.crashes) execute function keep_counted_crashes()",
    )
    .execute(pool)
    .await
    .unwrap();
}

async fn counted_crashes(pool: &PgPool) -> Vec<i32> {
    let all = sqlx::query_scalar("select crashes from counted_crashes");
    all.fetch_all(pool).await.unwrap()
}

fn cluster(folder: &Path) -> Cluster {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let installation = Installation::find_or_install(&tools, &|_| ()).unwrap();
    Cluster::start(&installation, folder, &|_| ()).unwrap()
}

/// Kills one backend with SIGKILL, as the kernel's OOM killer does. Waits until Postgres is back.
async fn kill_a_backend(url: &str) {
    let mut victim = PgConnection::connect(url).await.unwrap();
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()")
        .fetch_one(&mut victim)
        .await
        .unwrap();
    let mut witness = PgConnection::connect(url).await.unwrap();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status();
    assert!(killed.unwrap().success());
    wait::until("the end of all sessions", LIMIT, async || {
        witness.ping().await.is_err()
    })
    .await;
    wait::until("the recovery", LIMIT * 3, async || {
        PgConnection::connect(url).await.is_ok()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_crash_of_a_backend_costs_no_running_job_its_worker() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let cluster = cluster(folder.path());
    let admin = Url::parse(&cluster.url("postgres")).unwrap();
    let db = TestDb::create_on(&admin).await.unwrap();
    let sweeping = Sweeping::start(&db);
    // Leases don't run out, however long the recovery takes.
    let mut rig = Rig::with(&db, |b| b.slots(8).lease_ttl(HOUR / 60));
    let mut held = Vec::new();
    for _ in 0..6 {
        put(db.pool(), job()).await;
        held.push(rig.next().await);
    }
    let mut slow = Process::start(&db, "elsewhere").await;
    let known = slow.running_job(db.pool(), HOUR).await;
    let short = slow.running_job(db.pool(), HOUR).await;
    sweeping.saw_a_death(&db).await;
    let _hold = expire_unseen(&db, short).await;
    kill_a_backend(cluster.url(db.name()).as_str()).await;

    // One process needs a while to connect again. Its lease has run out meanwhile.
    let ids: Vec<Uuid> = held.iter().map(|h| h.job.claim().job_id).collect();
    let untouched = async |id| is_untouched(db.pool(), id, 1).await;
    let moved = wait::up_to(OUTAGE, async || {
        !(untouched(known).await && untouched(short).await)
    })
    .await;
    let rows = (row(db.pool(), known).await, row(db.pool(), short).await);
    assert!(moved.is_none(), "taken from a process that lives: {rows:?}");
    slow.come_back().await;
    slow.renew(db.pool()).await;
    sweeping.saw_a_death(&db).await;
    for id in ids.iter().chain([&known, &short]) {
        assert!(untouched(*id).await, "{:?}", row(db.pool(), *id).await);
    }
    for started in held {
        assert_eq!(started.job.stop().cause(), None);
        started.end(Outcome::Done);
    }
    for id in ids {
        until_deleted(db.pool(), id).await;
    }
    rig.stopped().await;
    sweeping.stopped().await;
    db.remove().await.unwrap();
    drop(cluster);
}

/// Lets the lease run out at the moment when Postgres crashes. Until then a transaction holds the job, so no one can
/// take it away ([`tarsy_queue::lock_claim`]).
async fn expire_unseen(db: &TestDb, id: Uuid) -> PgConnection {
    let mut holder = PgConnection::connect(db.url()).await.unwrap();
    sql(&mut holder, "begin").await;
    sqlx::query("select from jobs where id = $1 for key share")
        .bind(id)
        .execute(&mut holder)
        .await
        .unwrap();
    expire(db.pool(), id).await;
    holder
}
