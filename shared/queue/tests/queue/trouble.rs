//! Tests that trouble with Postgres never ends a worker or its jobs.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tarsy_queue::Outcome;
use tarsy_testing::{TestDb, wait};

use crate::rig::{LIMIT, Rig, job, put, row, sql, until_deleted};

/// Ends every connection to the database except this one.
async fn cut_all(admin: &mut PgConnection) {
    sql(
        admin,
        "select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()",
    )
    .await;
}

/// Number of the worker's statements that Postgres refuses before the test continues.
const REFUSED: i64 = 3;

/// Returns the number of transactions in the database that were rolled back.
async fn rollbacks(db: &TestDb) -> i64 {
    let mut conn = PgConnection::connect(db.url()).await.unwrap();
    sqlx::query_scalar(
        "select xact_rollback from pg_stat_database where datname = current_database()",
    )
    .fetch_one(&mut conn)
    .await
    .unwrap()
}

#[tokio::test]
async fn cut_connections_cost_neither_the_worker_nor_the_job_it_runs() {
    let db = TestDb::new().await;
    let mut admin = PgConnection::connect(db.url()).await.unwrap();
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    let epoch = started.job.claim().epoch;
    for _ in 0..3 {
        cut_all(&mut admin).await;
    }
    assert_eq!(started.job.stop().cause(), None);
    started.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    assert_eq!(epoch, 1, "it ran once");

    put(db.pool(), job()).await;
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_read_only_server_is_waited_out() {
    let db = TestDb::new().await;
    let mut admin = PgConnection::connect(db.url()).await.unwrap();
    let mut rig = Rig::with(&db, |b| b.slots(2));
    let id = put(db.pool(), job()).await;
    let started = rig.next().await;
    let before = rollbacks(&db).await;
    let read_only = format!(
        "alter database {} set default_transaction_read_only = on",
        db.name()
    );
    sqlx::query(sqlx::AssertSqlSafe(read_only))
        .execute(&mut admin)
        .await
        .unwrap();
    cut_all(&mut admin).await;
    started.end(Outcome::Done);
    // Writes fail with 25006 on every new connection until the server accepts writes again.
    wait::until(
        "Postgres to refuse the worker's statements",
        LIMIT,
        async || rollbacks(&db).await >= before + REFUSED,
    )
    .await;
    let reset = format!(
        "alter database {} reset default_transaction_read_only",
        db.name()
    );
    sql(&mut admin, "set default_transaction_read_only = off").await;
    sqlx::query(sqlx::AssertSqlSafe(reset))
        .execute(&mut admin)
        .await
        .unwrap();
    cut_all(&mut admin).await;
    until_deleted(db.pool(), id).await;

    put(db.pool(), job()).await;
    rig.next().await.end(Outcome::Done);
    rig.stopped().await;
}

#[tokio::test]
async fn a_claim_whose_reply_was_lost_is_released_at_once_and_uncounted() {
    let db = TestDb::new().await;
    let mut admin = PgConnection::connect(db.url()).await.unwrap();
    let mut rig = Rig::with(&db, |b| b.slots(2));
    put(db.pool(), job()).await;
    let held = rig.next().await;
    // As after a claim whose connection broke at the commit: the job is held, but no process knows it.
    let orphaned = put(db.pool(), job().delay(Duration::from_secs(3600))).await;
    sqlx::query(
        "update jobs set state = 'running', owner = $2, epoch = epoch + 1,
             expires_at = clock_timestamp() + interval '1 hour' where id = $1",
    )
    .bind(orphaned)
    .bind(held.job.claim().owner)
    .execute(&mut admin)
    .await
    .unwrap();
    cut_all(&mut admin).await;

    let found = rig.next().await;
    assert_eq!(found.job.claim().job_id, orphaned);
    assert_eq!((found.job.attempts(), found.job.crashes()), (0, 0));
    assert_eq!(held.job.stop().cause(), None);
    held.end(Outcome::Done);
    found.end(Outcome::Done);
    until_deleted(db.pool(), orphaned).await;
    rig.stopped().await;
}

#[tokio::test]
async fn one_unreadable_payload_parks_its_job_and_leaves_the_rest_alone() {
    let db = TestDb::new().await;
    // Nested too deeply for parsers.
    let deep = format!("{}1{}", "[".repeat(2000), "]".repeat(2000));
    let odd = put(db.pool(), job()).await;
    let set =
        "update jobs set payload = $2::text::jsonb, rank = rank - interval '1 h' where id = $1";
    sqlx::query(set)
        .bind(odd)
        .bind(deep)
        .execute(db.pool())
        .await
        .unwrap();
    let fine = put(db.pool(), job()).await;

    let mut rig = Rig::start(&db);
    let first = rig.next().await;
    assert_eq!(first.job.claim().job_id, odd);
    let error = first.job.decode::<serde_json::Value>().unwrap_err();
    first.end(Outcome::DeadLetter(error.into()));
    rig.next().await.end(Outcome::Done);
    until_deleted(db.pool(), fine).await;
    assert!(row(db.pool(), odd).await.is_none(), "parked");
    rig.stopped().await;
}
