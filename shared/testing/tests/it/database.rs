//! Tests of the database per test, against a real server.

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
