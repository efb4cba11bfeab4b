//! Tests that a stage worker starts branches and their join itself, and leaves other decisions to a chain worker.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_model::{ExecutionId, Pool, SessionId, chain_queue};
use tarsy_queue::{NewJob, StopSignal};
use tarsy_stage_worker::{StageEnd, StageRunner};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::hand_on::{service, stage};
use crate::rows;

const SOON: Duration = Duration::from_secs(60);

/// Completes at once, with the names of the stages whose output it received.
struct Quick;

#[async_trait]
impl StageRunner for Quick {
    async fn run(&self, stage: &BegunStage, _: StageFence, _: &StopSignal) -> StageEnd {
        let handed = stage.data.stage_outputs.iter();
        let handed: Vec<&str> = handed.map(|of| of.stage_name.as_str()).collect();
        StageEnd::Completed {
            output: json!({ "result": handed.join(" ") }),
        }
    }
}

fn analysing(name: &str) -> Value {
    json!({"name": name, "agent": "analyse-agent", "pool": "default", "needs": ["collect"]})
}

/// Returns a stage, three stages that need it, and one that needs all three.
fn fan() -> Value {
    json!([
        {"name": "collect", "agent": "collect-agent", "pool": "default"},
        analysing("logs"),
        analysing("metrics"),
        analysing("cluster"),
        {"name": "report", "agent": "report-agent", "pool": "default", "needs": ["logs", "metrics", "cluster"]},
    ])
}

/// Creates a session of these stages whose first one has a job. Returns the session and that stage.
async fn start(db: &TestDb, stages: &Value) -> (SessionId, ExecutionId) {
    let session_id = SessionId::generate();
    let first = stage(session_id, 0, (1, 0));
    let chain = json!({"chain_id": "watch", "alert_types": ["Watch"], "stages": stages});
    let mut tx = db.pool().begin().await.expect("a transaction");
    let new = rows::session(session_id, &json!({}), &chain);
    tarsy_store::sessions::insert_sessions(&mut tx, &[new])
        .await
        .expect("a session");
    tarsy_store::stages::start_stages(&mut tx, std::slice::from_ref(&first))
        .await
        .expect("stages");
    let job = NewJob::new(
        Pool::default().queue(),
        "stage",
        first.execution_id.as_uuid(),
    );
    tarsy_queue::enqueue(&mut tx, &[job]).await.expect("a job");
    tx.commit().await.expect("a commit");
    (session_id, first.execution_id)
}

/// Runs only a stage worker, until all jobs are for chain workers.
async fn run(db: &TestDb, slots: usize) {
    let service = service(db, &["default"], slots, Arc::new(Quick));
    let stop = CancellationToken::new();
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    wait::until("jobs that are for chain workers", SOON, async || {
        let others = "select count(*) from jobs where queue <> $1 or state <> 'ready'";
        let others: i64 = sqlx::query_scalar(others)
            .bind(chain_queue())
            .fetch_one(db.pool())
            .await
            .expect("jobs");
        others == 0
    })
    .await;
    stop.cancel();
    running.await.expect("no panic").expect("a calm end");
}

/// Returns name, attempt, status and output of each row.
async fn stages(db: &TestDb, session: SessionId) -> Vec<String> {
    sqlx::query_scalar(
        "select concat_ws(' ', stage_name, attempt, status) || ': ' || coalesce(stage_output ->> 'result', '')
         from stage_executions where session_id = $1 order by stage_index, attempt",
    )
    .bind(session.as_uuid())
    .fetch_all(db.pool())
    .await
    .expect("stages")
}

async fn chain_jobs(db: &TestDb) -> i64 {
    let jobs = sqlx::query_scalar("select count(*) from jobs where queue = $1");
    let jobs = jobs.bind(chain_queue()).fetch_one(db.pool()).await;
    jobs.expect("jobs")
}

const WHOLE: [&str; 5] = [
    "collect 1 completed: ",
    "logs 1 completed: collect",
    "metrics 1 completed: collect",
    "cluster 1 completed: collect",
    "report 1 completed: collect logs metrics cluster",
];

#[tokio::test]
async fn branches_and_their_join_run_without_a_chain_worker() {
    for slots in [1, 8] {
        let db = TestDb::new().await;
        let (session, _) = start(&db, &fan()).await;
        run(&db, slots).await;
        assert_eq!(stages(&db, session).await, WHOLE, "{slots} slots");
        assert_eq!(chain_jobs(&db).await, 1, "the end is for a chain worker");
    }
}

#[tokio::test]
async fn a_list_that_gives_no_branches_is_left_to_a_chain_worker() {
    let db = TestDb::new().await;
    let mut each = analysing("hosts");
    each["branches"] = json!({"each": "stages.collect.data.hosts"});
    let collect = json!({"name": "collect", "agent": "collect-agent", "pool": "default"});
    let report = json!({"name": "report", "agent": "report-agent", "pool": "default"});
    let (session, _) = start(&db, &json!([collect, each, report])).await;
    run(&db, 8).await;
    assert_eq!(stages(&db, session).await, WHOLE[..1]);
    let (attempts, crashes, epoch): (i32, i32, i64) =
        sqlx::query_as("select attempts, crashes, epoch from jobs")
            .fetch_one(db.pool())
            .await
            .expect("its chain job");
    assert_eq!((attempts, crashes), (0, 0), "given back uncounted");
    assert!(epoch > 0, "it was held");
}

#[tokio::test]
async fn where_chain_jobs_are_paused_nothing_starts() {
    let db = TestDb::new().await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    tarsy_queue::pause(&mut conn, chain_queue(), "ops", "a deploy")
        .await
        .expect("paused");
    let (session, _) = start(&db, &fan()).await;
    run(&db, 8).await;
    assert_eq!(stages(&db, session).await, WHOLE[..1]);
    assert_eq!(chain_jobs(&db).await, 1);
}

#[tokio::test]
async fn a_paused_pool_gets_branches_and_runs_none() {
    let db = TestDb::new().await;
    let gpu = |name: &str| {
        let mut stage = analysing(name);
        stage["pool"] = json!("gpu");
        stage
    };
    let collect = json!({"name": "collect", "agent": "collect-agent", "pool": "default"});
    let report = json!({"name": "report", "agent": "report-agent", "needs": ["logs", "metrics"]});
    let (session, _) = start(
        &db,
        &json!([collect, gpu("logs"), analysing("metrics"), report]),
    )
    .await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    let paused = Pool::from("gpu").queue();
    tarsy_queue::pause(&mut conn, &paused, "ops", "a deploy")
        .await
        .expect("paused");
    let service = service(&db, &["default", "gpu"], 8, Arc::new(Quick));
    let stop = CancellationToken::new();
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    wait::until("the other branch to end", SOON, async || {
        stages(&db, session)
            .await
            .iter()
            .any(|stage| stage == "metrics 1 completed: collect")
    })
    .await;
    let left: Vec<(String, String)> =
        sqlx::query_as("select queue, state::text from jobs where queue = $1")
            .bind(&paused)
            .fetch_all(db.pool())
            .await
            .expect("jobs");
    assert_eq!(left, [(paused, "ready".to_owned())]);
    stop.cancel();
    running.await.expect("no panic").expect("a calm end");
}
