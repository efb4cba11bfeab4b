//! Tests which worker gets which job, and when.

use std::time::Duration;

use tarsy_queue::{Outcome, enqueue, list_workers, pause, queue_stats, resume};
use tarsy_testing::{TestDb, wait};
use uuid::Uuid;

use crate::rig::{LIMIT, Rig, conn, job, put, sql, until_deleted};

async fn running(db: &TestDb) -> i64 {
    let count = "select count(*) from jobs where state = 'running'";
    sqlx::query_scalar(count)
        .fetch_one(db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn never_more_jobs_are_claimed_than_there_are_free_slots() {
    let db = TestDb::new().await;
    let jobs: Vec<_> = (0..6).map(|_| job()).collect();
    enqueue(&mut conn(db.pool()).await, &jobs).await.unwrap();
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let (first, second) = (rig.next().await, rig.next().await);
    assert_eq!(running(&db).await, 2);

    first.end(Outcome::Done);
    let third = rig.next().await;
    assert!(running(&db).await <= 2);
    assert!(rig.started().is_none());
    second.end(Outcome::Done);
    third.end(Outcome::Done);
    for _ in 3..6 {
        rig.next().await.end(Outcome::Done);
    }
    rig.stopped().await;
}

#[tokio::test]
async fn no_job_waits_in_a_busy_worker_while_another_is_idle() {
    let db = TestDb::new().await;
    let mut busy = Rig::start(&db);
    put(db.pool(), job()).await;
    let held = busy.next().await;
    let mut idle = Rig::start(&db);
    put(db.pool(), job()).await;
    idle.next().await.end(Outcome::Done);
    assert!(busy.started().is_none());
    held.end(Outcome::Done);
    busy.stopped().await;
    idle.stopped().await;
}

#[tokio::test]
async fn severe_jobs_run_first_but_the_oldest_never_starves() {
    let db = TestDb::new().await;
    let subjects: [Uuid; 4] = std::array::from_fn(|_| Uuid::now_v7());
    let [old, plain, second_plain, severe] = subjects;
    let new = |subject, priority| tarsy_queue::NewJob::new("q", "test", subject).priority(priority);
    let jobs = [
        new(old, 0),
        new(plain, 0),
        new(second_plain, 0),
        new(severe, 2),
    ];
    enqueue(&mut conn(db.pool()).await, &jobs).await.unwrap();
    // Two priority levels are worth 20 minutes. A job that has waited longer goes first.
    let aged = "update jobs set rank = rank - interval '21 minutes' where subject = $1";
    sqlx::query(aged)
        .bind(old)
        .execute(db.pool())
        .await
        .unwrap();

    let mut rig = Rig::start(&db);
    for expected in [old, severe, plain, second_plain] {
        let started = rig.next().await;
        assert_eq!(started.subject(), expected);
        started.end(Outcome::Done);
    }
    rig.stopped().await;
}

#[tokio::test]
async fn one_claim_serves_several_queues_in_one_order() {
    let db = TestDb::new().await;
    let subjects: [Uuid; 3] = std::array::from_fn(|_| Uuid::now_v7());
    let new = |queue: &str, n: usize| tarsy_queue::NewJob::new(queue, "test", subjects[n]);
    let jobs = [
        new("b", 0).priority(2),
        new("a", 1).priority(1),
        new("b", 2),
    ];
    enqueue(&mut conn(db.pool()).await, &jobs).await.unwrap();
    put(
        db.pool(),
        tarsy_queue::NewJob::new("elsewhere", "test", Uuid::now_v7()),
    )
    .await;

    let mut rig = Rig::with(&db, |b| b.queues(["a", "b"]));
    for subject in subjects {
        let started = rig.next().await;
        assert_eq!(started.subject(), subject);
        started.end(Outcome::Done);
    }
    rig.stopped().await;
    let stats = queue_stats(&mut conn(db.pool()).await).await.unwrap();
    assert_eq!(
        stats.len(),
        1,
        "only the queue nobody works is left: {stats:?}"
    );
}

#[tokio::test]
async fn a_paused_queue_gives_nothing_until_it_is_resumed_whoever_restarts() {
    let db = TestDb::new().await;
    let mut c = conn(db.pool()).await;
    pause(&mut c, "q", "ana", "LLM outage").await.unwrap();
    let id = put(db.pool(), job()).await;
    let rig = Rig::start(&db);
    wait::until("the worker", LIMIT, async || {
        !list_workers(&mut conn(db.pool()).await)
            .await
            .unwrap()
            .is_empty()
    })
    .await;
    rig.stopped().await;

    let mut rig = Rig::with(&db, |b| b.queues(["q", "other"]));
    put(
        db.pool(),
        tarsy_queue::NewJob::new("other", "test", Uuid::now_v7()),
    )
    .await;
    let other = rig.next().await;
    assert_eq!(other.job.queue(), "other", "the paused queue was passed by");
    other.end(Outcome::Done);
    let stats = queue_stats(&mut c).await.unwrap();
    let q = stats.iter().find(|s| s.queue == "q").unwrap();
    assert_eq!((q.ready, q.paused_by.as_deref()), (1, Some("ana")));
    assert_eq!(q.pause_reason.as_deref(), Some("LLM outage"));

    assert!(resume(&mut c, "q").await.unwrap());
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    assert!(!resume(&mut c, "q").await.unwrap(), "not paused any more");
    rig.stopped().await;
}

#[tokio::test]
async fn operators_see_queues_and_what_each_worker_runs() {
    let db = TestDb::new().await;
    let mut rig = Rig::with(&db, |b| b.slots(3).version("9.9"));
    let id = put(db.pool(), job()).await;
    put(db.pool(), job().delay(Duration::from_secs(60))).await;
    let started = rig.next().await;

    let mut c = conn(db.pool()).await;
    let workers = list_workers(&mut c).await.unwrap();
    assert_eq!(workers.len(), 1);
    let worker = &workers[0];
    assert_eq!(
        (worker.role.as_str(), worker.slots, worker.version.as_str()),
        ("rig", 3, "9.9")
    );
    assert_eq!(worker.id, started.job.claim().owner);
    assert_eq!(
        worker.running.iter().map(|j| j.id).collect::<Vec<_>>(),
        [id]
    );
    let stats = queue_stats(&mut c).await.unwrap();
    assert_eq!(
        (stats[0].running, stats[0].scheduled, stats[0].ready),
        (1, 1, 0)
    );
    started.end(Outcome::Done);
    rig.stopped().await;
    assert!(
        list_workers(&mut c).await.unwrap().is_empty(),
        "it left in good order"
    );
}

#[tokio::test]
async fn a_claim_scans_the_index_for_any_backlog() {
    let db = TestDb::new().await;
    let mut c = conn(db.pool()).await;
    sql(&mut c, "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts)
        select gen_random_uuid(), 'q', 'test', gen_random_uuid(), '{}', 0, 'ready',
               clock_timestamp(), clock_timestamp() + make_interval(secs => g * 0.001), 20
        from generate_series(1, 20000) g").await;
    let mut rig = Rig::with(&db, |b| b.slots(4));
    for _ in 0..4 {
        rig.next().await.end(Outcome::Release);
    }
    rig.stopped().await;
    // All reads of `jobs` must have gone through an index.
    sql(&mut c, "select pg_stat_force_next_flush()").await;
    let scans = wait::until("statistics", LIMIT, async || {
        let read: (i64, i64) = sqlx::query_as(
            "select seq_tup_read, idx_scan from pg_stat_user_tables where relname = 'jobs'",
        )
        .fetch_one(db.pool())
        .await
        .unwrap();
        (read.1 > 0).then_some(read)
    })
    .await;
    assert_eq!(scans.0, 0, "no sequential scan");
}
