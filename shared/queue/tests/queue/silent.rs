//! Tests a silent Postgres: connections stay open but never answer again.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_queue::{Connections, Outcome, StopCause, list_workers, wary_pool, within_deadline};
use tarsy_testing::{SilentProxy, TestDb, wait};

use crate::rig::{LIMIT, Rig, conn, job, put, until_deleted};

/// Long enough for the pings that detect the silence.
const PATIENCE: Duration = Duration::from_secs(30);

fn pool_through(proxy: &SilentProxy, most: u32) -> PgPool {
    let pool = PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(PATIENCE);
    let options: sqlx::postgres::PgConnectOptions = proxy.url().parse().unwrap();
    wary_pool(&options.clone().into(), pool, options)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_whose_statements_get_no_answer_gives_its_jobs_to_others_and_reports_it() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let connections = Connections::own(pool_through(&proxy, 4));
    let mut cut_off = Rig::over(&db, connections.clone(), |builder| {
        builder.role("cut off").lease_ttl(Duration::from_secs(3))
    });
    let id = put(db.pool(), job()).await;
    let first = cut_off.next().await;
    proxy.silence_for_ever().await;
    // The writes of its handler. The lease's own connection works.
    let writing = tokio::spawn(async move {
        loop {
            let _ = within_deadline(async {
                let mut conn = connections.acquire().await?;
                sqlx::query("select 1").execute(&mut *conn).await?;
                connections.keep(conn);
                Ok::<_, sqlx::Error>(())
            })
            .await;
        }
    });

    let mut other = Rig::start(&db);
    assert_eq!(first.job.stop().stopped().await, StopCause::ClaimLost);
    first.end(Outcome::Release);
    let second = other.next().await;
    assert_eq!(second.job.claim().job_id, id);
    assert_eq!(second.job.crashes(), 0, "it was given back, not taken away");
    wait::until("its word of it", LIMIT, async || {
        let workers = list_workers(&mut conn(db.pool()).await).await.unwrap();
        let troubled = workers.into_iter().filter(|w| w.trouble.is_some());
        troubled.map(|w| w.role).collect::<Vec<_>>() == ["cut off"]
    })
    .await;
    second.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    writing.abort();
    other.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_is_dropped_in_its_middle_costs_the_pool_no_connection() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let pool = pool_through(&proxy, 1);
    sqlx::query("select 1").execute(&pool).await.unwrap();
    // sqlx pings a connection that is returned to it, without a time limit. Silence during that ping is another case.
    wait::until("the connection to be given back", LIMIT, async || {
        pool.num_idle() == 1
    })
    .await;
    proxy.silence().await;
    let hung = sqlx::query("select 1").execute(&pool);
    let hung = tokio::time::timeout(Duration::from_millis(50), hung).await;
    assert!(hung.is_err(), "it got no answer");
    // The pool has one connection at most, so this one replaces the dropped one.
    sqlx::query("select 1").execute(&pool).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_that_fell_silent_is_replaced() {
    let db = TestDb::new().await;
    let proxy = SilentProxy::before(db.url()).await;
    let connections = Connections::own(pool_through(&proxy, 1));
    connections.keep(connections.acquire().await.unwrap());
    proxy.silence().await;
    // A connection that was just used is trusted once. It is closed with the statement that it did not answer.
    let mut conn = connections.acquire().await.unwrap();
    let hung = sqlx::query("select 1").execute(&mut *conn);
    let hung = tokio::time::timeout(Duration::from_millis(50), hung).await;
    assert!(hung.is_err(), "it got no answer");
    drop(conn);
    let mut conn = connections.acquire().await.unwrap();
    sqlx::query("select 1").execute(&mut *conn).await.unwrap();
}
