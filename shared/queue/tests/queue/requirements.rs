//! Tests that jobs with requirements are left to workers that offer them.

use std::time::Duration;

use tarsy_queue::{Outcome, Unschedulable, note_unschedulable, pause, resume, unschedulable_of};
use tarsy_testing::{TestDb, wait};
use uuid::Uuid;

use crate::rig::{LIMIT, Rig, conn, job, put, row, sql, until_deleted};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn offering(db: &TestDb, offers: &[&str]) -> Rig {
    Rig::with(db, |builder| builder.slots(2).offers(Some(names(offers))))
}

async fn requires(db: &TestDb, id: Uuid) -> Option<Vec<String>> {
    sqlx::query_scalar("select requires from jobs where id = $1")
        .bind(id)
        .fetch_one(db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_job_is_left_to_a_worker_that_offers_all_it_requires() {
    let db = TestDb::new().await;
    let both = put(db.pool(), job().requires(names(&["agent:q", "provider:p"]))).await;
    let mut old = offering(&db, &["agent:a", "agent:q"]);
    let anybodys = put(db.pool(), job()).await;
    let started = old.next().await;
    assert_eq!(started.job.claim().job_id, anybodys, "it requires nothing");
    let empty = put(db.pool(), job().requires(Vec::new())).await;
    let second = old.next().await;
    assert_eq!(second.job.claim().job_id, empty, "nor does this");
    assert_eq!(row(db.pool(), both).await.unwrap().state, "ready");

    let mut new = offering(&db, &["provider:p", "agent:q", "agent:a"]);
    let started_there = new.next().await;
    assert_eq!(started_there.job.claim().job_id, both);
    // After its release the job is found again.
    started_there.end(Outcome::Release);
    let again = new.next().await;
    assert_eq!(again.job.claim().job_id, both);
    assert!(old.started().is_none());
    again.end(Outcome::Done);
    until_deleted(db.pool(), both).await;
    started.end(Outcome::Done);
    second.end(Outcome::Done);

    let other = put(db.pool(), job().requires(names(&["agent:z"]))).await;
    let mut any = Rig::start(&db);
    let started = any.next().await;
    assert_eq!(started.job.claim().job_id, other, "it offers everything");
    started.end(Outcome::Done);
    for rig in [old, new, any] {
        rig.stopped().await;
    }
}

#[tokio::test]
async fn a_job_without_its_requirements_is_passed_on_uncounted() {
    let db = TestDb::new().await;
    let id = put(db.pool(), job()).await;
    let mut old = offering(&db, &["agent:a"]);
    let started = old.next().await;
    let required = names(&["agent:q"]);
    assert!(!started.job.is_offered(&required) && started.job.is_offered(&names(&["agent:a"])));
    assert!(started.job.preclaim("q", &required).is_none());
    started.end(Outcome::PassOn(required.clone()));
    let mut new = offering(&db, &["agent:q"]);
    let again = new.next().await;
    assert_eq!(again.job.claim().job_id, id);
    assert_eq!((again.job.crashes(), again.job.attempts()), (0, 0));
    assert_eq!(requires(&db, id).await, Some(required));
    again.end(Outcome::Done);
    old.stopped().await;
    new.stopped().await;
}

#[tokio::test]
async fn ten_thousand_jobs_of_others_in_front_are_not_walked_over_at_each_claim() {
    let db = TestDb::new().await;
    let mut c = conn(db.pool()).await;
    sql(&mut c, "insert into jobs (id, queue, kind, subject, payload, priority, state, run_at, rank, max_attempts, requires)
        select gen_random_uuid(), 'q', 'test', gen_random_uuid(), '{}', 0, 'ready', clock_timestamp(),
               clock_timestamp() - make_interval(secs => g * 0.001), 20, array['agent:q', 'provider:p']
        from generate_series(1, 10000) g").await;
    let mut rig = offering(&db, &["agent:a", "provider:p"]);
    for _ in 0..100 {
        let id = put(db.pool(), job().requires(names(&["agent:a"]))).await;
        let started = rig.next().await;
        assert_eq!(started.job.claim().job_id, id);
        started.end(Outcome::Done);
        until_deleted(db.pool(), id).await;
    }
    // A job that comes back with a rank before all of them is found, too.
    let id = put(db.pool(), job().requires(names(&["agent:a"]))).await;
    rig.next().await.end(Outcome::Retry("again".into()));
    let early =
        "update jobs set rank = rank - interval '1 hour', run_at = clock_timestamp() where id = $1";
    sqlx::query(early)
        .bind(id)
        .execute(db.pool())
        .await
        .unwrap();
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    rig.stopped().await;

    sql(&mut c, "select pg_stat_force_next_flush()").await;
    let read = wait::until("statistics", LIMIT, async || {
        let read: i64 = sqlx::query_scalar(
            "select idx_tup_fetch from pg_stat_user_tables where relname = 'jobs'",
        )
        .fetch_one(db.pool())
        .await
        .unwrap();
        (read > 0).then_some(read)
    })
    .await;
    println!("rows of jobs read for 101 jobs behind 10,000 of others: {read}");
    assert!(
        read < 50 * 10_000,
        "{read}: half of the claims walked over all"
    );
}

async fn noted(db: &TestDb) -> Vec<Unschedulable> {
    let mut c = conn(db.pool()).await;
    note_unschedulable(&mut c, "test").await.unwrap()
}

#[tokio::test]
async fn what_no_live_worker_can_run_is_noted_with_its_reason_until_one_can() {
    let db = TestDb::new().await;
    let needed = names(&["agent:q", "provider:p"]);
    let waiting = job().requires(needed.clone());
    let id = put(db.pool(), waiting).await;
    put(db.pool(), job().delay(Duration::from_secs(60))).await;
    let groups = noted(&db).await;
    assert_eq!(groups.len(), 1, "what is scheduled is not due: {groups:?}");
    let first = &groups[0];
    assert_eq!((&first.queue[..], &first.requires), ("q", &needed));
    assert_eq!((first.has_worker, &first.missing), (false, &needed));
    assert_eq!(noted(&db).await[0].since, first.since, "it lasts");
    let subject: Uuid = sqlx::query_scalar("select subject from jobs where id = $1")
        .bind(id)
        .fetch_one(db.pool())
        .await
        .unwrap();
    let mut c = conn(db.pool()).await;
    let unschedulable = unschedulable_of(&mut c, &[subject, Uuid::now_v7()])
        .await
        .unwrap();
    assert_eq!(unschedulable, [(subject, first.clone())]);

    let old = offering(&db, &["agent:a", "provider:p"]);
    let group = wait::until("the old worker", LIMIT, async || {
        noted(&db).await.pop().filter(|group| group.has_worker)
    })
    .await;
    assert_eq!(group.missing, ["agent:q"]);

    pause(&mut c, "q", "ana", "deploy").await.unwrap();
    assert_eq!(noted(&db).await, [], "a paused queue waits for people");
    assert!(resume(&mut c, "q").await.unwrap());
    assert!(noted(&db).await[0].since > group.since, "anew");

    // A backlog of a live worker whose slots are full is not reported.
    let mut new = offering(&db, &["agent:q", "provider:p"]);
    let held = new.next().await;
    for _ in 0..3 {
        put(db.pool(), job().requires(needed.clone())).await;
    }
    let second = new.next().await;
    assert_eq!(noted(&db).await, []);
    for started in [held, second] {
        started.end(Outcome::Done);
    }
    old.stopped().await;
    for _ in 0..2 {
        new.next().await.end(Outcome::Done);
    }
    new.stopped().await;

    // A worker of an older version takes any job.
    put(db.pool(), job().requires(needed)).await;
    assert_eq!(noted(&db).await.len(), 1);
    sql(
        &mut c,
        "insert into workers (id, role, host, pid, version, queues, slots, lock_key)
        values (gen_random_uuid(), 'old', 'h', 1, '0', '{q}', 1, 1)",
    )
    .await;
    assert_eq!(noted(&db).await, []);
    sql(
        &mut c,
        "update workers set heartbeat_at = heartbeat_at - interval '11 minutes'",
    )
    .await;
    assert_eq!(noted(&db).await.len(), 1, "it does not live");
}
