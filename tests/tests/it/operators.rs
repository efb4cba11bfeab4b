//! Operators' actions take effect in real workers: cancel, replay, drain.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use uuid::Uuid;

/// Lease time with renewals minutes apart, so earlier effects must come from notifications.
const FAR: &str = "600s";

async fn ask(ingest: &Ingest, path: &str) -> Value {
    let request = reqwest::Client::new().post(format!("{}/api/v1/admin/{path}", ingest.url));
    let answer = request
        .json(&json!({"reason": "a test"}))
        .send()
        .await
        .unwrap();
    let status = answer.status();
    assert_eq!(
        status.as_u16(),
        202,
        "{path}: {}",
        answer.text().await.unwrap()
    );
    answer.json().await.unwrap_or_default()
}

/// The model calls a tool that never answers.
fn hangs_in_a_tool(request: &SeenRequest) -> Behaviour {
    if request.contains("You are the collector.") {
        return Behaviour::text(
            "Thought: look\nAction: ledger.read_status\nAction Input: {\"service\": \"checkout\", \"hang\": true}",
        );
    }
    scene::play(request)
}

/// Returns all recorded calls of a session.
async fn recorded(fleet: &Fleet, session: Uuid) -> Vec<Value> {
    let query = "select to_jsonb(i) from llm_interactions i where session_id = $1
                 union all select to_jsonb(i) from mcp_interactions i where session_id = $1";
    sqlx::query_scalar(query)
        .bind(session)
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_session_leaves_its_tool_call_at_once_and_records_nothing_more() {
    let fleet = Fleet::new(hangs_in_a_tool)
        .await
        .with("TARSY_LEASE_TTL", FAR);
    let (ingest, _chain, worker) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the tool call", SOON, async || {
        fleet.ledger.calls("read_status") == 1
    })
    .await;

    ask(&ingest, &format!("sessions/{session}/cancel")).await;
    let ended = fleet.rows.session(session).await;
    assert_eq!(ended.status, "cancelled", "{ended:?}");
    let calls = recorded(&fleet, session).await;
    // The call may last a minute and its stage ten, so it is the notification that frees slot and job.
    wait::until("the worker to let go", SOON, async || {
        fleet.rows.count("select count(*) from jobs").await == 0
    })
    .await;
    let next = fleet.submit(&ingest, "ReportOnly").await;
    let next = fleet.rows.ended(next, SOON).await;
    assert_eq!(
        next.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "the worker goes on: {next:?}"
    );

    assert!(worker.is_running());
    assert_eq!(recorded(&fleet, session).await, calls, "nothing came after");
    assert!(
        calls.iter().all(|call| !call["success"].is_null()),
        "no call is left open: {calls:#?}"
    );
    let stages = fleet.rows.stages(session).await;
    let statuses: Vec<_> = stages.iter().map(|stage| &*stage.status).collect();
    assert_eq!(statuses, ["cancelled"], "no stage follows");
    assert_eq!(fleet.llm.count(), 2, "one question each");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_stage_is_replayed_and_later_stages_run_again_on_top() {
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let fleet = Fleet::new(move |request| {
        match request.contains("You are the analyst.") && is_broken.load(Ordering::SeqCst) {
            true => Behaviour::fail(401, "invalid key"),
            false => scene::play(request),
        }
    })
    .await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let first = fleet.rows.ended(session, SOON).await;
    assert_eq!(first.outcome.as_deref(), Some("partial"), "{first:?}");
    let (stages, calls) = (
        attempts(&fleet, session).await,
        recorded(&fleet, session).await,
    );
    assert_eq!(
        names(&stages),
        [
            "collect 1 completed",
            "analyse 1 failed",
            "report 1 completed"
        ]
    );

    broken.store(false, Ordering::SeqCst);
    let asked = fleet.llm.count();
    ask(&ingest, &format!("sessions/{session}/stages/1/replay")).await;
    let again = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        (&*again.status, again.outcome.as_deref()),
        ("completed", Some("completed")),
        "{again:?}"
    );
    let after = attempts(&fleet, session).await;
    assert_eq!(
        names(&after),
        [
            "collect 1 completed",
            "analyse 1 failed",
            "analyse 2 completed",
            "report 1 completed",
            "report 2 completed"
        ]
    );
    for stage in &stages {
        assert!(after.contains(stage), "history is untouched: {stage:#}");
    }
    let all = recorded(&fleet, session).await;
    assert!(calls.iter().all(|call| all.contains(call)) && all.len() > calls.len());
    let reports = &fleet.llm.requests()[asked..];
    let report = reports
        .iter()
        .find(|request| request.contains("You are the reporter."))
        .unwrap();
    assert!(
        report.contains("one restart was enough"),
        "the report rests on the new analysis"
    );
    assert!(
        !reports
            .iter()
            .any(|request| request.contains("You are the collector.")),
        "the first stage stays"
    );
}

async fn attempts(fleet: &Fleet, session: Uuid) -> Vec<Value> {
    let query = "select to_jsonb(e) from stage_executions e where session_id = $1 order by stage_index, attempt";
    sqlx::query_scalar(query)
        .bind(session)
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap()
}

fn names(stages: &[Value]) -> Vec<String> {
    let name = |stage: &Value| {
        let text = |member: &str| stage[member].as_str().unwrap().to_owned();
        format!(
            "{} {} {}",
            text("stage_name"),
            stage["attempt"],
            text("status")
        )
    };
    stages.iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_ends_its_process() {
    let fleet = Fleet::new(scene::play).await.with("TARSY_LEASE_TTL", FAR);
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    for process in [&chain, &stage] {
        let id: Uuid = sqlx::query_scalar("select id from workers where pid = $1")
            .bind(i32::try_from(process.id()).unwrap())
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
        ask(&ingest, &format!("workers/{id}/drain")).await;
        let status = process.ended(SOON).await;
        assert!(status.success(), "{status}");
    }
    assert_eq!(fleet.rows.count("select count(*) from workers").await, 0);
}
