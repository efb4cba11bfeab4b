//! Tests that the input of an agent is rebuilt from rows, for each stage again.

use serde_json::json;
use sqlx::PgPool;
use tarsy_model::{
    AlertProcessingData, ClaimRef, ExecutionId, IterationStrategy, Pool, SessionId, StageStatus,
};
use tarsy_queue::NewJob;
use tarsy_store::new_session::NewSession;
use tarsy_store::stages::{BeginStage, NewStage};
use tarsy_testing::TestDb;
use uuid::Uuid;

use crate::rows;

const RUNBOOK: &str = "# Steps\n1. Look at the quota.\n";

fn stage(session_id: SessionId, stage_index: i32, attempt: i32, name: &str) -> NewStage {
    let agent = format!("{name}-agent");
    NewStage {
        stage_index,
        attempt,
        round: attempt - 1,
        ..rows::stage(session_id, name, &agent, IterationStrategy::React)
    }
}

/// Inserts a session with these stages, each with the status in which it ended.
async fn session(db: &PgPool, session_id: SessionId, stages: &[(NewStage, &str)]) {
    let names = ["collect", "analyse", "report"];
    let chain = json!({"chain_id": "watch", "alert_types": ["Watch"],
        "stages": names.map(|name| json!({"name": name, "agent": format!("{name}-agent")}))});
    let data = json!({"environment": "staging", "labels": {"pod": "cart-7c9f"}, "n": 1.5});
    let new = NewSession {
        severity: "critical".to_owned(),
        ..rows::session(session_id, &data, &chain)
    };
    let mut tx = db.begin().await.expect("a transaction");
    tarsy_store::sessions::insert_sessions(&mut tx, &[new])
        .await
        .expect("a session");
    tarsy_store::runbooks::set_runbook(&mut tx, session_id, Ok(RUNBOOK))
        .await
        .expect("a runbook");
    for (stage, status) in stages {
        tarsy_store::stages::start_stages(&mut tx, std::slice::from_ref(stage))
            .await
            .expect("a stage");
        let (output, error) = match *status {
            "completed" => (Some(json!({"result": "the quota is full"})), None),
            "failed" => (None, Some("its model did not answer")),
            _ => continue,
        };
        sqlx::query(
            "update stage_executions set status = $2::stage_status, stage_output = $3, error_message = $4,
                 started_at_us = now_us(), completed_at_us = now_us() where execution_id = $1",
        )
        .bind(stage.execution_id.as_uuid())
        .bind(status)
        .bind(output)
        .bind(error)
        .execute(&mut *tx)
        .await
        .expect("an end");
    }
    tx.commit().await.expect("a commit");
}

/// Begins a stage like a worker that has claimed its job.
async fn begin(db: &PgPool, execution_id: ExecutionId) -> AlertProcessingData {
    let mut conn = db.acquire().await.expect("a connection");
    let job = NewJob::new(Pool::default().queue(), "stage", execution_id.as_uuid());
    tarsy_queue::enqueue(&mut conn, &[job])
        .await
        .expect("a job");
    let owner = Uuid::now_v7();
    let job_id: Uuid =
        sqlx::query_scalar("update jobs set state = 'running', owner = $1, epoch = 1, expires_at = now() + interval '1 minute' where subject = $2 returning id")
            .bind(owner)
            .bind(execution_id.as_uuid())
            .fetch_one(&mut *conn)
            .await
            .expect("a claim");
    let claim = ClaimRef {
        job_id,
        owner,
        epoch: 1,
    };
    let begin = BeginStage {
        execution_id,
        claim,
        crashes: 0,
    };
    let begun = tarsy_store::stages::begin_stages(&mut conn, &[begin])
        .await
        .expect("it begins");
    begun.into_iter().next().expect("one").data
}

#[tokio::test]
async fn an_agent_is_handed_alert_runbook_and_the_latest_of_all_earlier_stages() {
    let (db, id) = (TestDb::new().await, SessionId::generate());
    let stages = [
        (stage(id, 0, 1, "collect"), "failed"),
        (stage(id, 0, 2, "collect"), "completed"),
        (stage(id, 1, 1, "analyse"), "failed"),
        (stage(id, 2, 1, "report"), "pending"),
    ];
    session(db.pool(), id, &stages).await;
    let data = begin(db.pool(), stages[3].0.execution_id).await;

    assert_eq!(data.session_id, id);
    assert_eq!((&*data.alert_type, &*data.chain_id), ("Watch", "watch"));
    assert_eq!(data.severity(), "critical");
    assert_eq!(data.environment(), "staging");
    let alert = data.original_alert_data();
    assert_eq!(
        (&alert["labels"]["pod"], &alert["n"]),
        (&json!("cart-7c9f"), &json!(1.5))
    );
    assert_eq!(data.runbook_content(), RUNBOOK);
    assert_eq!(data.runbook_url.as_deref(), Some("local:watch"));
    assert_eq!(data.current_stage, "report");

    // Failures are passed on, too. Of a stage that was run again, the last attempt counts.
    let before: Vec<_> = data
        .stage_outputs
        .iter()
        .map(|stage| (stage.stage_index, &*stage.stage_name, stage.status))
        .collect();
    assert_eq!(
        before,
        [
            (0, "collect", StageStatus::Completed),
            (1, "analyse", StageStatus::Failed)
        ]
    );
    let completed: Vec<_> = data.completed_stages().map(|s| &*s.stage_name).collect();
    assert_eq!(completed, ["collect"]);
    let collected = data.stage_result("collect").expect("it is there");
    assert_eq!(collected.result_text(), Some("the quota is full"));
    assert_eq!(collected.agent, "collect-agent");
    let failed = data.stage_result("analyse").expect("it is there");
    assert_eq!(
        (failed.result_text(), failed.error.as_deref()),
        (None, Some("its model did not answer"))
    );
    assert!(data.stage_result("report").is_none());
    assert!(data.stage_result("nothing").is_none());
}

#[tokio::test]
async fn a_runbook_that_could_not_be_fetched_is_empty_and_has_the_reason() {
    let (db, id) = (TestDb::new().await, SessionId::generate());
    let first = stage(id, 0, 1, "collect");
    let execution_id = first.execution_id;
    session(db.pool(), id, &[(first, "pending")]).await;
    let mut conn = db.pool().acquire().await.expect("a connection");
    sqlx::query("update alert_sessions set runbook_content = null")
        .execute(&mut *conn)
        .await
        .expect("none yet");
    tarsy_store::runbooks::set_runbook(&mut conn, id, Err("GitHub answered 500"))
        .await
        .expect("an error");
    let data = begin(db.pool(), execution_id).await;
    assert_eq!(data.runbook_content(), "");
    assert_eq!(data.runbook_error.as_deref(), Some("GitHub answered 500"));
    assert_eq!(data.stage_outputs, []);
}
