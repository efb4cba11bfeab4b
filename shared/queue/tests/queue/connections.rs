//! Tests connections that are kept between uses.

use sqlx::PgPool;
use sqlx::postgres::{PgConnection, PgPoolOptions};
use tarsy_queue::Connections;
use tarsy_testing::{TestDb, wait};

use crate::rig::LIMIT;

fn pool_of(db: &TestDb, most: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(LIMIT)
        .connect_lazy(db.url())
        .unwrap()
}

async fn backend(conn: &mut PgConnection) -> i32 {
    let pid = sqlx::query_scalar("select pg_backend_pid()");
    pid.fetch_one(conn).await.unwrap()
}

#[tokio::test]
async fn what_is_kept_is_used_again_and_nothing_waits_for_it() {
    let db = TestDb::new().await;
    let pool = pool_of(&db, 2);
    let connections = Connections::shared(pool.clone());
    let mut conn = connections.acquire().await.unwrap();
    let first = backend(&mut conn).await;
    connections.keep(conn);
    assert_eq!(pool.num_idle(), 0, "it has not gone back");

    // Half of the pool is kept. The other half is left to those who use the pool itself.
    let mut again = connections.acquire().await.unwrap();
    let other = connections.acquire().await.unwrap();
    assert_eq!(backend(&mut again).await, first);
    connections.keep(other);
    connections.keep(again);
    // The second went back to the pool.
    drop(pool.acquire().await.unwrap());
}

#[tokio::test]
async fn a_small_pool_is_left_to_others_and_one_of_its_own_is_not() {
    let db = TestDb::new().await;
    let small = pool_of(&db, 1);
    let connections = Connections::shared(small.clone());
    connections.keep(connections.acquire().await.unwrap());
    drop(small.acquire().await.unwrap());

    let own = Connections::own(small.clone());
    own.keep(own.acquire().await.unwrap());
    assert_eq!((small.size(), small.num_idle()), (1, 0));
    drop(own);
    drop(small.acquire().await.unwrap());
}

#[tokio::test]
async fn a_dead_connection_is_met_once() {
    let db = TestDb::new().await;
    let connections = Connections::own(pool_of(&db, 1));
    let mut conn = connections.acquire().await.unwrap();
    let dead = backend(&mut conn).await;
    connections.keep(conn);
    sqlx::query("select pg_terminate_backend($1)")
        .bind(dead)
        .execute(db.pool())
        .await
        .unwrap();
    wait::until("its end", LIMIT, async || {
        let ended = "select 1 where not exists (select from pg_stat_activity where pid = $1)";
        let ended = sqlx::query_scalar::<_, i32>(ended).bind(dead);
        ended.fetch_optional(db.pool()).await.unwrap()
    })
    .await;

    let mut conn = connections.acquire().await.unwrap();
    let lost = sqlx::query("select 1").execute(&mut *conn).await;
    assert!(lost.is_err(), "it was kept");
    drop(conn);
    let mut conn = connections.acquire().await.unwrap();
    assert_ne!(backend(&mut conn).await, dead);
}
