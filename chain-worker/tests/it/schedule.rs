//! Tests that a stage which no live worker can run waits for its scheduling timeout and no longer.

use std::time::Duration;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tarsy_chain_worker::fail_unschedulable;
use tarsy_model::{ExecutionId, IterationStrategy, Pool, SessionId, stage_requires};
use tarsy_queue::NewJob;
use tarsy_store::new_session::NewSession;
use tarsy_store::stages::NewStage;
use tarsy_testing::TestDb;
use uuid::Uuid;

const TIMEOUT: Duration = Duration::from_secs(900);

/// Creates a session whose first stage is due in `pool`. Its job requires agent `Q`.
pub(crate) async fn due(db: &TestDb, pool: &str, own_timeout: Option<Duration>) -> ExecutionId {
    due_in(db, SessionId::generate(), pool, own_timeout).await
}

/// Like [`due`], with this session id.
pub(crate) async fn due_in(
    db: &TestDb,
    session_id: SessionId,
    pool: &str,
    own_timeout: Option<Duration>,
) -> ExecutionId {
    let mut stage = json!({"name": "watch", "agent": "Q", "pool": pool});
    if let Some(own) = own_timeout {
        stage["schedule_timeout_ms"] = json!(u64::try_from(own.as_millis()).unwrap());
    }
    let chain = json!({"chain_id": "watch", "alert_types": ["Watch"], "stages": [stage]});
    let session = NewSession {
        session_id,
        alert_id: Uuid::now_v7(),
        alert_type: "Watch".to_owned(),
        data: to_raw_value(&json!({})).unwrap(),
        severity: "warning".to_owned(),
        alert_timestamp_us: None,
        source: "api".to_owned(),
        author: None,
        fingerprint: session_id.to_string(),
        idempotency_key: None,
        chain_id: "watch".to_owned(),
        chain_definition: to_raw_value(&chain).unwrap(),
        runbook_url: None,
        traceparent: None,
        suppressible: None,
    };
    let stage = NewStage {
        execution_id: ExecutionId::generate(),
        session_id,
        stage_index: 0,
        stage_name: "watch".to_owned(),
        agent: "Q".to_owned(),
        strategy: Some(IterationStrategy::React),
        llm_provider: None,
        pool: pool.to_owned(),
        branch: tarsy_chain::Branch::SOLE,
        attempt: 1,
        round: 0,
        timeout_ms: 60_000,
    };
    let execution_id = stage.execution_id;
    let job = NewJob::new(Pool::from(pool).queue(), "stage", execution_id.as_uuid())
        .requires(stage_requires("Q", None));
    let mut tx = db.pool().begin().await.unwrap();
    tarsy_store::sessions::insert_sessions(&mut tx, &[session])
        .await
        .unwrap();
    tarsy_store::stages::start_stages(&mut tx, &[stage])
        .await
        .unwrap();
    tarsy_queue::enqueue(&mut tx, &[job]).await.unwrap();
    tx.commit().await.unwrap();
    execution_id
}

async fn sql(db: &TestDb, statement: &'static str) {
    sqlx::query(statement).execute(db.pool()).await.unwrap();
}

/// Moves times back as if `time` had passed, with checks in between.
async fn later(db: &TestDb, time: Duration) {
    let statements = [
        "update jobs set run_at = run_at - make_interval(secs => $1), rank = rank - make_interval(secs => $1)",
        "update unschedulable set since = since - make_interval(secs => $1)",
    ];
    for statement in statements {
        let moved = sqlx::query(statement).bind(time.as_secs_f64());
        moved.execute(db.pool()).await.unwrap();
    }
}

async fn worker(db: &TestDb, queue: &str, offers: Option<&[&str]>) {
    sqlx::query(
        "insert into workers (id, role, host, pid, version, queues, slots, lock_key, offers)
         values (gen_random_uuid(), 'stage-worker', 'h', 1, '1', array[$1], 1, 1, $2)",
    )
    .bind(queue)
    .bind(offers.map(<[&str]>::to_vec))
    .execute(db.pool())
    .await
    .unwrap();
}

async fn fail_unserved(db: &TestDb) -> u64 {
    fail_unschedulable(db.pool(), TIMEOUT).await.unwrap()
}

async fn row(db: &TestDb, stage: ExecutionId) -> Value {
    sqlx::query_scalar("select to_jsonb(e) from stage_executions e where execution_id = $1")
        .bind(stage.as_uuid())
        .fetch_one(db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_stage_for_a_pool_without_workers_fails_after_its_time_and_its_chain_continues() {
    let db = TestDb::new().await;
    let stage = due(&db, "gpu", None).await;
    assert_eq!(fail_unserved(&db).await, 0);
    later(&db, TIMEOUT - Duration::from_secs(60)).await;
    assert_eq!(fail_unserved(&db).await, 0, "not yet");
    later(&db, Duration::from_secs(61)).await;
    assert_eq!(fail_unserved(&db).await, 1);
    let row = row(&db, stage).await;
    assert_eq!(
        [&row["status"], &row["error_class"], &row["error_message"]],
        ["failed", "unschedulable", "no worker serves pool `gpu`"]
    );
    let jobs: Vec<(String, String, Uuid)> = sqlx::query_as("select queue, kind, subject from jobs")
        .fetch_all(db.pool())
        .await
        .unwrap();
    let session: Uuid = row["session_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(jobs, [("chain".to_owned(), "chain".to_owned(), session)]);
    let events: i64 = sqlx::query_scalar(
        "select count(*) from events where kind = 'stage_progress' and payload ->> 'status' = 'failed'",
    )
    .fetch_one(db.pool())
    .await
    .unwrap();
    assert_eq!(events, 1);
    assert_eq!(fail_unserved(&db).await, 0, "once");
}

#[tokio::test]
async fn the_time_runs_from_the_end_of_the_last_worker_that_could() {
    let db = TestDb::new().await;
    let stage = due(&db, "default", None).await;
    worker(&db, "stage:default", Some(&["agent:A"])).await;
    worker(&db, "stage:default", Some(&["agent:Q"])).await;
    // A backlog: due for a long time, but there is a live worker for it.
    later(&db, TIMEOUT * 4).await;
    assert_eq!(fail_unserved(&db).await, 0);
    sql(&db, "delete from workers where 'agent:Q' = any(offers)").await;
    assert_eq!(fail_unserved(&db).await, 0, "a rollout takes its time");
    later(&db, TIMEOUT).await;
    assert_eq!(fail_unserved(&db).await, 1);
    assert_eq!(
        row(&db, stage).await["error_message"],
        "no live worker of pool `default` knows agent `Q`"
    );
}

#[tokio::test]
async fn neither_a_paused_queue_nor_a_worker_of_an_older_version_fails_anything() {
    let db = TestDb::new().await;
    due(&db, "gpu", None).await;
    due(&db, "default", None).await;
    let mut conn = db.pool().acquire().await.unwrap();
    tarsy_queue::pause(&mut conn, "stage:gpu", "ana", "an outage")
        .await
        .unwrap();
    worker(&db, "stage:default", None).await;
    for _ in 0..3 {
        later(&db, TIMEOUT).await;
        assert_eq!(fail_unserved(&db).await, 0);
    }
    assert!(tarsy_queue::resume(&mut conn, "stage:gpu").await.unwrap());
    assert_eq!(fail_unserved(&db).await, 0, "it has its whole time again");
    later(&db, TIMEOUT).await;
    assert_eq!(fail_unserved(&db).await, 1);
}

#[tokio::test]
async fn a_stage_names_its_own_time_and_one_that_is_claimed_is_left_alone() {
    let db = TestDb::new().await;
    let own = due(&db, "gpu", Some(Duration::from_secs(60))).await;
    let claimed = due(&db, "gpu", Some(Duration::from_secs(60))).await;
    let patient = due(&db, "gpu", Some(TIMEOUT * 9)).await;
    fail_unserved(&db).await;
    later(&db, TIMEOUT).await;
    // The claim commits while the check waits for the row lock.
    let mut claim = db.pool().begin().await.unwrap();
    sqlx::query(
        "update jobs set state = 'running', owner = gen_random_uuid(), epoch = 1,
             expires_at = clock_timestamp() + interval '1 minute' where subject = $1",
    )
    .bind(claimed.as_uuid())
    .execute(&mut *claim)
    .await
    .unwrap();
    assert_eq!(fail_unserved(&db).await, 1);
    claim.commit().await.unwrap();
    assert_eq!(fail_unserved(&db).await, 0);
    assert_eq!(row(&db, own).await["status"], "failed");
    for left in [claimed, patient] {
        assert_eq!(row(&db, left).await["status"], "pending");
    }
}

#[tokio::test]
async fn a_stage_whose_worker_was_lost_and_that_no_worker_can_take_over_ends_with_its_calls() {
    let db = TestDb::new().await;
    let stage = due(&db, "gpu", None).await;
    sql(&db, "update stage_executions set status = 'active', claim_owner = gen_random_uuid(), claim_epoch = 1,
                  started_at_us = now_us(), deadline_at = now() + interval '1 hour'").await;
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider,
             model_name, new_messages, step_description, claim_epoch)
         select gen_random_uuid(), session_id, execution_id, 1, 1, 'iteration', 'p', 'm', '[]', 'asks', 1
         from stage_executions where execution_id = $1",
    )
    .bind(stage.as_uuid())
    .execute(db.pool())
    .await
    .unwrap();
    fail_unserved(&db).await;
    later(&db, TIMEOUT).await;
    assert_eq!(fail_unserved(&db).await, 1);
    let row = row(&db, stage).await;
    assert_eq!(
        (&row["status"], &row["iterations"]),
        (&json!("failed"), &json!(1))
    );
    let open: i64 =
        sqlx::query_scalar("select count(*) from llm_interactions where success is null")
            .fetch_one(db.pool())
            .await
            .unwrap();
    assert_eq!(open, 0);
}
