//! Tests that a stage hands on to the next one without a chain worker.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_config::{AgentPlan, Environment, Settings, SpendingLimits, StagePlans};
use tarsy_model::{ExecutionId, IterationStrategy, Pool, SessionId};
use tarsy_queue::{Advertised, Connections, NewJob, StopSignal, Waker};
use tarsy_stage_worker::{StageEnd, StageRunner, StageService, StageSetup};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::{BegunStage, NewStage};
use tarsy_testing::{TestDb, wait};
use tokio_util::sync::CancellationToken;

use crate::rows;

const SOON: Duration = Duration::from_secs(60);

/// Completes at once, except that the stage `analyse` fails.
struct Quick;

#[async_trait]
impl StageRunner for Quick {
    async fn run(&self, stage: &BegunStage, _: StageFence, _: &StopSignal) -> StageEnd {
        match stage.data.current_stage.as_str() {
            "analyse" => StageEnd::Failed {
                reason: "its model did not answer".to_owned(),
                class: "overloaded".to_owned(),
            },
            name => StageEnd::Completed {
                output: json!({ "result": name }),
            },
        }
    }
}

/// Inserts a session of four stages. The third is for another pool.
pub(crate) async fn session(db: &TestDb, first: &[NewStage]) {
    let stages = ["collect", "analyse", "report", "tell"].map(|name| {
        let pool = if name == "report" { "gpu" } else { "default" };
        json!({"name": name, "agent": format!("{name}-agent"), "pool": pool})
    });
    let chain = json!({"chain_id": "watch", "alert_types": ["Watch"], "stages": stages, "llm_provider": "of-chain"});
    let mut tx = db.pool().begin().await.expect("a transaction");
    let new = rows::session(first[0].session_id, &json!({}), &chain);
    tarsy_store::sessions::insert_sessions(&mut tx, &[new])
        .await
        .expect("a session");
    tarsy_store::stages::start_stages(&mut tx, first)
        .await
        .expect("stages");
    tx.commit().await.expect("a commit");
}

pub(crate) fn stage(
    session_id: SessionId,
    stage_index: i32,
    (attempt, round): (i32, i32),
) -> NewStage {
    NewStage {
        stage_index,
        attempt,
        round,
        ..rows::stage(
            session_id,
            "collect",
            "collect-agent",
            IterationStrategy::React,
        )
    }
}

/// Runs jobs of these pools, beginning with the stage's job, until the session has a job that none of them runs.
/// Returns queue and subject of that job.
async fn run_until_handed_over(
    db: &TestDb,
    execution: ExecutionId,
    pools: &[&str],
) -> (String, uuid::Uuid) {
    let mut conn = db.pool().acquire().await.expect("a connection");
    let job = NewJob::new(Pool::default().queue(), "stage", execution.as_uuid());
    tarsy_queue::enqueue(&mut conn, &[job])
        .await
        .expect("a job");
    let service = service(db, pools, 2, Arc::new(Quick));
    let stop = CancellationToken::new();
    let running = tokio::spawn(service.run(stop.clone(), CancellationToken::new()));
    let queues: Vec<String> = pools.iter().map(|pool| Pool::from(*pool).queue()).collect();
    let left = wait::until("a job that is for others", SOON, async || {
        sqlx::query_as("select queue, subject from jobs where queue <> all($1)")
            .bind(&queues)
            .fetch_optional(db.pool())
            .await
            .expect("jobs")
    })
    .await;
    stop.cancel();
    running.await.expect("no panic").expect("a calm end");
    left
}

/// Returns a stage worker that knows the agents of the second and third stage.
pub(crate) fn service(
    db: &TestDb,
    pools: &[&str],
    slots: usize,
    runner: Arc<dyn StageRunner>,
) -> StageService {
    let report = AgentPlan {
        strategy: Some(IterationStrategy::ReactTools),
        llm_provider: None,
        timeout: Some(Duration::from_secs(7)),
        rate_limit_wait: None,
    };
    let agents = [
        ("analyse-agent", AgentPlan::default()),
        ("report-agent", report),
    ];
    let connections = Connections::shared(db.pool().clone());
    let settings = Settings::read(&Environment::from_pairs([("DATABASE_URL", db.url())]));
    StageService {
        waker: Waker::new(connections.clone()),
        connections,
        direct_url: db.url().to_owned(),
        pools: pools.iter().map(|pool| Pool::from(*pool)).collect(),
        advertised: Advertised::default().fixed(),
        slots,
        queue: settings.expect("defaults").queue,
        setup: StageSetup {
            plans: StagePlans {
                agents: agents.map(|(name, plan)| (name.to_owned(), plan)).into(),
                default_strategy: IterationStrategy::Regular,
                ..StagePlans::default()
            },
            spending: SpendingLimits::default(),
            runner,
            advertised: Advertised::default(),
        }
        .fixed(),
    }
}
async fn row(db: &TestDb, session: SessionId, index: i32, attempt: i32) -> Value {
    let row = sqlx::query_scalar(
        "select to_jsonb(e) from stage_executions e where (session_id, stage_index, attempt) = ($1, $2, $3)",
    );
    row.bind(session.as_uuid())
        .bind(index)
        .bind(attempt)
        .fetch_one(db.pool())
        .await
        .expect("the attempt")
}

async fn attempts(db: &TestDb, session: SessionId) -> Vec<(i32, i32, i32, String)> {
    sqlx::query_as(
        "select stage_index, attempt, round, status::text from stage_executions where session_id = $1 order by 1, 2",
    )
    .bind(session.as_uuid())
    .fetch_all(db.pool())
    .await
    .expect("attempts")
}

#[tokio::test]
async fn a_stage_makes_the_next_one_due_as_it_is_planned_unless_its_agent_is_not_known_here() {
    let (db, session_id) = (TestDb::new().await, SessionId::generate());
    let first = stage(session_id, 0, (1, 0));
    session(&db, std::slice::from_ref(&first)).await;
    let (queue, subject) = run_until_handed_over(&db, first.execution_id, &["default"]).await;

    let report = row(&db, session_id, 2, 1).await;
    assert_eq!(queue, "stage:gpu", "its pool has no worker yet");
    assert_eq!(report["execution_id"], json!(subject));
    assert_eq!(report["status"], "pending");
    assert_eq!(
        [
            &report["agent"],
            &report["iteration_strategy"],
            &report["llm_provider"],
            &report["timeout_ms"]
        ],
        [
            &json!("report-agent"),
            &json!("react-tools"),
            &json!("of-chain"),
            &json!(7000)
        ]
    );
    let analyse = row(&db, session_id, 1, 1).await;
    assert_eq!(
        analyse["iteration_strategy"], "regular",
        "its agent says nothing"
    );
    assert_eq!(
        (&analyse["status"], &analyse["error_message"]),
        (&json!("failed"), &json!("its model did not answer")),
        "a failure is handed on"
    );
    let mut conn = db.pool().acquire().await.expect("a connection");
    let seen = tarsy_store::history::session_record(&mut conn, session_id)
        .await
        .expect("the session")
        .expect("it is there");
    assert_eq!(
        (seen.current_stage_index, seen.current_stage_id.as_deref()),
        (Some(2), Some("report_2"))
    );

    let deleted = sqlx::query("delete from jobs").execute(db.pool()).await;
    assert_eq!(deleted.expect("jobs").rows_affected(), 1);
    let execution = ExecutionId::from(subject);
    let (queue, subject) = run_until_handed_over(&db, execution, &["default", "gpu"]).await;
    assert_eq!((queue.as_str(), subject), ("chain", session_id.as_uuid()));
    let ends = [
        (0, 1, 0, "completed".to_owned()),
        (1, 1, 0, "failed".to_owned()),
        (2, 1, 0, "completed".to_owned()),
    ];
    assert_eq!(
        attempts(&db, session_id).await,
        ends,
        "`tell-agent` is for a chain worker to plan"
    );
    let events: Vec<String> = sqlx::query_scalar(
        "select payload ->> 'stage_name' || ' ' || (payload ->> 'status') from events
         where session_id = $1 and kind = 'stage_progress' and payload ->> 'stage_name' = 'report' order by id",
    )
    .bind(session_id.as_uuid())
    .fetch_all(db.pool())
    .await
    .expect("events");
    let in_order = ["report pending", "report active", "report completed"];
    assert_eq!(events, in_order);
}

#[tokio::test]
async fn a_replayed_stage_hands_on_to_a_new_attempt_of_its_round() {
    let (db, session_id) = (TestDb::new().await, SessionId::generate());
    let replayed = stage(session_id, 0, (2, 3));
    let before = stage(session_id, 1, (1, 0));
    session(&db, &[before, replayed.clone()]).await;
    run_until_handed_over(&db, replayed.execution_id, &["default"]).await;
    let made = [
        (0, 2, 3, "completed".to_owned()),
        (1, 1, 0, "pending".to_owned()),
        (1, 2, 3, "failed".to_owned()),
        (2, 1, 3, "pending".to_owned()),
    ];
    assert_eq!(attempts(&db, session_id).await, made);
}

#[tokio::test]
async fn the_last_stage_of_a_chain_asks_for_a_decision() {
    let (db, session_id) = (TestDb::new().await, SessionId::generate());
    let last = stage(session_id, 3, (1, 0));
    session(&db, std::slice::from_ref(&last)).await;
    let left = run_until_handed_over(&db, last.execution_id, &["default"]).await;
    assert_eq!(left, ("chain".to_owned(), session_id.as_uuid()));
    let made = [(3, 1, 0, "completed".to_owned())];
    assert_eq!(attempts(&db, session_id).await, made);
}

#[tokio::test]
async fn an_attempt_that_exists_is_kept_and_a_chain_job_decides() {
    let (db, session_id) = (TestDb::new().await, SessionId::generate());
    let first = stage(session_id, 0, (1, 0));
    let there = stage(session_id, 1, (1, 0));
    session(&db, &[first.clone(), there]).await;
    let left = run_until_handed_over(&db, first.execution_id, &["default"]).await;
    assert_eq!(left, ("chain".to_owned(), session_id.as_uuid()));
    let made = [
        (0, 1, 0, "completed".to_owned()),
        (1, 1, 0, "pending".to_owned()),
    ];
    assert_eq!(attempts(&db, session_id).await, made);
}
