//! Tests statements whose future is dropped before the reply arrives, as at a deadline.

use std::time::Duration;

use futures::FutureExt as _;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tarsy_queue::wary_pool;
use tarsy_testing::TestDb;

#[tokio::test]
async fn a_begin_that_is_dropped_takes_in_no_later_statement() {
    let db = TestDb::new().await;
    let options: PgConnectOptions = db.url().parse().unwrap();
    let one = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_secs(30));
    let pool = wary_pool(&options.clone().into(), one, options);
    sqlx::query("create table written (what text)")
        .execute(&pool)
        .await
        .unwrap();

    // Repeat until the statement was sent but not yet answered, because Postgres may be quick.
    let mut is_given_up = false;
    while !is_given_up {
        let mut connection = pool.acquire().await.unwrap();
        is_given_up = connection.begin().now_or_never().is_none();
    }

    sqlx::query("insert into written values ('acknowledged')")
        .execute(&pool)
        .await
        .unwrap();
    let seen: i64 = sqlx::query_scalar("select count(*) from written")
        .fetch_one(db.pool())
        .await
        .unwrap();
    assert_eq!(seen, 1, "what was acknowledged is committed");
}
