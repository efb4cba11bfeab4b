//! Tests that a session which lost its job gets another one, and that no holder of the first can write any more.

use tarsy_chain_worker::repair;
use tarsy_model::ExecutionId;
use tarsy_testing::TestDb;

use crate::schedule::due;

/// Deletes the job of a stage that is old enough for the repair. Returns the epoch from which its next job starts.
async fn lose_and_repair(db: &TestDb, stage: ExecutionId) -> i64 {
    for statement in [
        "update alert_sessions set started_at_us = started_at_us - 10000000",
        "delete from jobs",
    ] {
        sqlx::query(statement).execute(db.pool()).await.unwrap();
    }
    assert_eq!(repair(db.pool(), 0).await.unwrap(), (1, None));
    let epoch =
        sqlx::query_scalar("select epoch from jobs where subject = $1").bind(stage.as_uuid());
    epoch.fetch_one(db.pool()).await.unwrap()
}

/// Claims and begins are not durable. After a crash of Postgres, a stage's row may lack them, while a worker continues
/// under an epoch that it got before.
#[tokio::test]
async fn a_repaired_stage_starts_above_epochs_that_postgres_forgot() {
    let db = TestDb::new().await;
    let stage = due(&db, "default", None).await;
    let first = lose_and_repair(&db, stage).await;
    assert!(
        first > 1_000_000,
        "no number of claims leads there: {first}"
    );
    let second = lose_and_repair(&db, stage).await;
    assert!(second > first, "{second} is not above {first}");

    let seen = second + 1_000_000;
    let begun = sqlx::query("update stage_executions set claim_epoch = $1").bind(seen);
    begun.execute(db.pool()).await.unwrap();
    assert_eq!(lose_and_repair(&db, stage).await, seen);
}
