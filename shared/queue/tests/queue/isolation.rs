//! Tests that jobs which crashed with two workers run alone, and that only crashes of such runs count against them.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_queue::{Enqueued, NewJob, Outcome, enqueue};
use tarsy_testing::{TestDb, wait};
use uuid::Uuid;

use crate::recovery::Sweeping;
use crate::rig::{LIMIT, Rig, Started, job, put, row, until_deleted, until_row};
use crate::stand_in::{HOUR, Process};

/// Enqueues a job that seems to have crashed with that many workers, next to other jobs.
async fn suspect(pool: &PgPool, crashes: i32) -> Uuid {
    let mut tx = pool.begin().await.unwrap();
    let id = match enqueue(&mut tx, &[job()]).await.unwrap()[..] {
        [Enqueued::Created(id)] => id,
        ref other => panic!("not created: {other:?}"),
    };
    // Older than the running jobs, like a job that comes back.
    let mark = "update jobs set crashes = $2, rank = rank - interval '1 minute' where id = $1";
    sqlx::query(mark)
        .bind(id)
        .bind(crashes)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    id
}

/// Returns a job that is running in this worker.
async fn busy(db: &TestDb, rig: &mut Rig) -> Started {
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    assert_eq!(started.job.claim().job_id, id);
    started
}

/// Waits until a worker holds the suspect.
async fn until_held(db: &TestDb, id: Uuid) {
    until_row(db.pool(), id, |r| r.state == "running").await;
}

#[tokio::test]
async fn a_suspect_runs_alone_and_the_others_go_on_elsewhere() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(4));
    let before = [busy(&db, &mut rig).await, busy(&db, &mut rig).await];
    let id = suspect(db.pool(), 2).await;
    // The suspect does not starve: the only worker is busy, and stops claiming for it.
    until_held(&db, id).await;
    assert!(before[0].job.preclaim("q", &[]).is_none(), "no next stage");
    let mut elsewhere = Rig::with(&db, |b| b.slots(4));
    let other = busy(&db, &mut elsewhere).await;
    assert!(rig.started().is_none(), "it waits for what runs beside it");

    let [first, second] = before;
    first.end(Outcome::Done);
    until_count(db.pool(), 3).await;
    assert!(rig.started().is_none(), "for all of it");
    second.end(Outcome::Done);
    let alone = rig.next().await;
    assert_eq!(alone.job.claim().job_id, id);
    assert!(!alone.job.is_poison());
    assert!(alone.job.preclaim("q", &[]).is_none(), "no next stage");
    let more = busy(&db, &mut elsewhere).await;
    assert!(rig.started().is_none(), "nothing is claimed beside it");

    alone.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    other.end(Outcome::Done);
    more.end(Outcome::Done);
    elsewhere.stopped().await;
    let after = busy(&db, &mut rig).await;
    after.end(Outcome::Done);
    rig.stopped().await;
}

async fn until_count(pool: &PgPool, jobs: i64) {
    wait::until("the jobs", LIMIT, async || {
        let count = sqlx::query_scalar::<_, i64>("select count(*) from jobs");
        count.fetch_one(pool).await.unwrap() == jobs
    })
    .await;
}

#[tokio::test]
async fn one_worker_is_kept_idle_for_a_suspect_and_an_idle_one_is_first() {
    let db = TestDb::new().await;
    let mut first = Rig::with(&db, |b| b.slots(2));
    let (held, other) = (busy(&db, &mut first).await, busy(&db, &mut first).await);
    let mut idle = Rig::with(&db, |b| b.slots(2));
    let id = suspect(db.pool(), 2).await;
    let alone = idle.next().await;
    assert_eq!(alone.job.claim().job_id, id);
    alone.end(Outcome::Done);
    until_deleted(db.pool(), id).await;

    let also = busy(&db, &mut idle).await;
    other.end(Outcome::Done);
    until_count(db.pool(), 2).await;
    // Both are busy now. One of them waits, the other continues.
    let id = suspect(db.pool(), 2).await;
    until_held(&db, id).await;
    let next = put(db.pool(), job()).await;
    until_row(db.pool(), next, |r| r.state == "running").await;
    for started in [held, also] {
        started.end(Outcome::Done);
    }
    let mut rest = Vec::new();
    for _ in 0..2 {
        let either = async {
            tokio::select! {
                started = first.next() => started,
                started = idle.next() => started,
            }
        };
        rest.push(either.await);
    }
    rest.into_iter()
        .for_each(|started| started.end(Outcome::Done));
    first.stopped().await;
    idle.stopped().await;
}

#[tokio::test]
async fn of_two_suspects_neither_runs_with_the_other_nor_starves_the_rest() {
    let db = TestDb::new().await;
    let suspects = [suspect(db.pool(), 2).await, suspect(db.pool(), 2).await];
    let plain = put(db.pool(), job()).await;
    let mut rig = Rig::with(&db, |b| b.slots(4));
    let mut order = Vec::new();
    for _ in 0..3 {
        let started = rig.next().await;
        order.push(started.job.claim().job_id);
        assert!(rig.started().is_none(), "one at a time");
        started.end(Outcome::Done);
    }
    assert_eq!(order, [suspects[0], plain, suspects[1]]);
    rig.stopped().await;
}

#[tokio::test]
async fn a_worker_that_drains_gives_a_waiting_suspect_back_uncounted() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let held = busy(&db, &mut rig).await;
    let id = suspect(db.pool(), 2).await;
    until_held(&db, id).await;
    rig.stop.cancel();
    let back = until_row(db.pool(), id, |r| r.state == "ready").await;
    assert_eq!((back.crashes, back.attempts), (2, 0));
    held.end(Outcome::Done);
    rig.stopped().await;
}

/// Lets a new process claim the job and die.
async fn crash(db: &TestDb, id: Uuid, alone: bool) {
    let process = Process::start(db, "doomed").await;
    let crashes = row(db.pool(), id).await.unwrap().crashes;
    process.claim(db.pool(), id, HOUR, alone).await;
    process.kill().await;
    until_row(db.pool(), id, |r| r.crashes > crashes).await;
}

async fn lone_crashes(db: &TestDb, id: Uuid) -> i32 {
    let count = "select coalesce(cardinality(crashed_alone_by), 0) from jobs where id = $1";
    let count = sqlx::query_scalar(count).bind(id);
    count.fetch_one(db.pool()).await.unwrap()
}

#[tokio::test]
async fn two_crashes_alone_after_two_with_others_condemn_a_job() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let id = put(db.pool(), job().delay(HOUR)).await;
    for (alone, counted) in [(false, 0), (false, 0), (true, 1), (true, 2)] {
        crash(&db, id, alone).await;
        assert_eq!(lone_crashes(&db, id).await, counted);
    }
    // The job is not run again, so it need not be alone.
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let condemned = rig.next().await;
    assert_eq!(
        (condemned.job.claim().job_id, condemned.job.crashes()),
        (id, 4)
    );
    assert!(condemned.job.is_poison());
    let other = busy(&db, &mut rig).await;
    other.end(Outcome::Done);
    condemned.end(Outcome::Done);
    rig.stopped().await;
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_suspect_waits_twice_as_long_after_each_crash() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let id = put(db.pool(), job().delay(HOUR)).await;
    crash(&db, id, false).await;
    let freed = row(db.pool(), id).await.unwrap();
    assert_eq!(freed.state, "ready", "one crash says nothing");
    for seconds in [1.0, 2.0, 4.0] {
        let before = now(&db).await;
        crash(&db, id, false).await;
        let due = "select extract(epoch from run_at)::float8 from jobs where id = $1 and state = 'scheduled'";
        let due = sqlx::query_scalar(due).bind(id).fetch_one(db.pool());
        let due: f64 = due.await.unwrap();
        let waits = before + seconds..=now(&db).await + seconds;
        assert!(waits.contains(&due), "{due} is not in {waits:?}");
    }
    sweeping.stopped().await;
}

async fn now(db: &TestDb) -> f64 {
    let now = "select extract(epoch from clock_timestamp())::float8";
    let now = sqlx::query_scalar(now).fetch_one(db.pool());
    now.await.unwrap()
}

#[tokio::test]
async fn where_other_processes_die_too_four_crashes_alone_are_forgiven() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    sweeping.saw_a_death(&db).await;
    let id = put(db.pool(), job().delay(HOUR)).await;
    for (alone, counted) in [
        (false, 0),
        (false, 0),
        (true, 0),
        (true, 0),
        (true, 0),
        (true, 0),
        (true, 1),
        (true, 2),
    ] {
        crash(&db, id, alone).await;
        assert_eq!(lone_crashes(&db, id).await, counted);
    }
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_job_of_a_live_process_that_was_condemned_by_mistake_is_cleared() {
    let db = TestDb::new().await;
    let sweeping = Sweeping::start(&db);
    let mut rig = Rig::with(&db, |b| b.lease_ttl(HOUR));
    let id = suspect(db.pool(), 3).await;
    let alone = rig.next().await;
    // Wait until the lease thread has nothing to do for a while.
    sweeping.saw_a_death(&db).await;
    crate::recovery::expire(db.pool(), id).await;
    until_row(db.pool(), id, |r| r.crashes == 4).await;
    let cut = "select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and application_name like 'rig lease%'";
    sqlx::query(cut).execute(db.pool()).await.unwrap();
    until_row(db.pool(), id, |r| r.crashes == 3).await;
    assert_eq!(lone_crashes(&db, id).await, 0);
    alone.end(Outcome::Release);
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
    sweeping.stopped().await;
}

#[tokio::test]
async fn a_worker_with_one_slot_takes_a_suspect_like_any_other_job() {
    let db = TestDb::new().await;
    let ids = [suspect(db.pool(), 2).await, suspect(db.pool(), 2).await];
    let mut rig = Rig::start(&db);
    for id in ids {
        let started = rig.within(Duration::from_secs(20)).await;
        assert_eq!(started.job.claim().job_id, id);
        started.end(Outcome::Done);
    }
    put(db.pool(), NewJob::new("q", "test", Uuid::now_v7())).await;
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
}
