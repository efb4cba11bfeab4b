//! A database per test, against a real server.

use sqlx::Executor;
use tarsy_testing::TestDb;

#[tokio::test]
async fn two_tests_share_nothing() {
    let (one, two) = tokio::join!(TestDb::new(), TestDb::new());
    one.pool()
        .execute("create table only_here (id int)")
        .await
        .unwrap();

    let seen: Option<String> = sqlx::query_scalar("select to_regclass('only_here')::text")
        .fetch_one(two.pool())
        .await
        .unwrap();
    assert_eq!(seen, None);
    assert_ne!(one.url(), two.url());
}

#[tokio::test]
async fn a_removed_database_is_gone_even_if_someone_is_connected() {
    let watcher = TestDb::new().await;
    let db = TestDb::new().await;
    let name = db.name().to_owned();
    let _held = db.pool().acquire().await.unwrap();
    db.remove().await.unwrap();

    let left: i64 = sqlx::query_scalar("select count(*) from pg_database where datname = $1")
        .bind(&name)
        .fetch_one(watcher.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
}
