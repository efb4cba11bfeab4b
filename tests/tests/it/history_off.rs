//! `HISTORY_ENABLED=false`: an agent's record is kept only while its session runs, for the worker that may resume it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use reqwest::StatusCode;
use serde_json::Value;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, scene};
use uuid::Uuid;

/// A model that never answers the analyst's second call the first time.
fn hangs_once() -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync {
    let hung = std::sync::atomic::AtomicBool::new(false);
    move |request| {
        let is_it = request.contains("You are the analyst.") && request.assistant_turns() == 1;
        match is_it && !hung.swap(true, std::sync::atomic::Ordering::SeqCst) {
            true => Behaviour::Hang,
            false => scene::play(request),
        }
    }
}

async fn interactions(fleet: &Fleet, session: Uuid) -> i64 {
    let query = "select (select count(*) from llm_interactions where session_id = $1)
                      + (select count(*) from mcp_interactions where session_id = $1)";
    sqlx::query_scalar(query)
        .bind(session)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

async fn forgotten(fleet: &Fleet, session: Uuid) {
    wait::until("what an ended session did to be gone", SOON, async || {
        interactions(fleet, session).await == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interactions_last_as_long_as_their_session_which_survives_a_killed_worker() {
    let fleet = Fleet::new(hangs_once())
        .await
        .with("HISTORY_ENABLED", "false");
    let (ingest, _chain, victim) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let get = async |path: &str| -> (StatusCode, Value) {
        let answer = reqwest::get(format!("{}{path}", ingest.url)).await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    };
    let ended = fleet.submit(&ingest, "ReportOnly").await;
    fleet.rows.ended(ended, SOON).await;
    let running = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the question that hangs", SOON, async || {
        let last = fleet.llm.requests().pop();
        last.is_some_and(|request| {
            request.contains("You are the analyst.") && request.assistant_turns() == 1
        })
    })
    .await;
    let recorded = interactions(&fleet, running).await;

    // An ended session's record is deleted, a running session's is not.
    forgotten(&fleet, ended).await;
    assert_eq!(interactions(&fleet, running).await, recorded);
    assert!(recorded > 5, "{recorded}");
    let session = fleet.rows.session(ended).await;
    assert_eq!(
        session.final_analysis.as_deref(),
        Some(scene::ANALYSIS),
        "the session itself stays"
    );

    // The history API reports that history is off. Ingest and status keep working.
    for path in ["sessions", &format!("sessions/{ended}"), "metrics"] {
        let (status, body) = get(&format!("/api/v1/history/{path}")).await;
        assert_eq!(
            (status, body["code"].as_str()),
            (StatusCode::NOT_FOUND, Some("history_disabled")),
            "{path}"
        );
    }
    let alert: Uuid =
        sqlx::query_scalar("select alert_id from alert_sessions where session_id = $1")
            .bind(ended)
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
    let (status, body) = get(&format!("/alerts/{alert}")).await;
    assert_eq!(
        (status, body["status"].as_str()),
        (StatusCode::OK, Some("completed")),
        "{body}"
    );
    assert_eq!(body["result"], scene::ANALYSIS, "{body}");

    // Another worker needs the kept record.
    let asked = fleet.llm.count();
    victim.kill();
    let _next = fleet.stage_worker();
    let session = fleet.rows.ended(running, SOON).await;
    assert_eq!(session.outcome.as_deref(), Some("completed"), "{session:?}");
    assert_eq!(
        fleet.llm.count() - asked,
        2,
        "the question that hung and the report's, nothing that was recorded"
    );
    assert_eq!(fleet.ledger.calls("restart_service"), 1);

    // Starts another process, because the next sweep of an old one is seconds away.
    let _another = fleet.chain_worker();
    forgotten(&fleet, running).await;
    assert_eq!(
        fleet
            .rows
            .count("select count(*) from stage_executions where stage_output is not null")
            .await,
        4,
        "what stages handed on stays with them"
    );
    fleet.assert_sound().await;
}
