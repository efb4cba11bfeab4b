//! Tests that a session for which nothing can be decided ends together with its stages.

use std::time::Duration;

use serde_json::json;
use tarsy_chain_worker::CHAIN_JOB;
use tarsy_model::chain_queue;
use tarsy_queue::NewJob;
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::schedule::due;
use crate::silent::service;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_given_up_leaves_no_stage_and_no_wait() {
    let db = TestDb::new().await;
    let stage = due(&db, "default", None).await.as_uuid();
    let session = "select session_id from stage_executions where execution_id = $1";
    let session: Uuid = sqlx::query_scalar(session)
        .bind(stage)
        .fetch_one(db.pool())
        .await
        .unwrap();
    // Next to it another stage waits, and no version can read the chain.
    for statement in [
        "insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms, status, started_at_us)
         select gen_random_uuid(), session_id, 1, 'gate', 'wait:approval', 'default', 1000, 'waiting', 1 from alert_sessions",
        "insert into waits (wait_id, session_id, execution_id, sort, question, role, expires_at)
         select gen_random_uuid(), session_id, execution_id, 'approval', 'Fix it?', 'operator', now() + interval '1 hour'
         from stage_executions where stage_index = 1",
        "update alert_sessions set chain_definition = '{\"stages\": []}'",
    ] {
        sqlx::query(statement).execute(db.pool()).await.unwrap();
    }
    let mut conn = db.pool().acquire().await.unwrap();
    let job = NewJob::new(chain_queue(), CHAIN_JOB, session);
    tarsy_queue::enqueue(&mut conn, &[job]).await.unwrap();

    let stop = CancellationToken::new();
    let running = tokio::spawn(service(&db, db.url()).run(stop.clone(), CancellationToken::new()));
    wait::until("the session to fail", Duration::from_secs(30), async || {
        let failed = "select status = 'failed' from alert_sessions";
        let failed = sqlx::query_scalar::<_, bool>(failed);
        failed.fetch_one(db.pool()).await.unwrap()
    })
    .await;
    stop.cancel();
    running.await.unwrap().unwrap();
    let left: serde_json::Value = sqlx::query_scalar(
        "select jsonb_build_object(
             'stages', (select jsonb_agg(status order by stage_index) from stage_executions),
             'waits', (select jsonb_agg(decision) from waits), 'jobs', (select count(*) from jobs where kind <> 'wait_notice'))",
    )
    .fetch_one(db.pool())
    .await
    .unwrap();
    let expected = json!({"stages": ["cancelled", "cancelled"], "waits": ["cancelled"], "jobs": 0});
    assert_eq!(left, expected);
}
