//! Stages of kind `verify`: a second provider tries to refute an agent's conclusion, and the session's verdict takes
//! this into account.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/verify.yaml");
const ANSWER: &str = "## Root cause\n\n`checkout` answers 503.";
/// Number of model calls. Three of the analyst: a tool call, a conclusion and its claims. Five of the doubter: two tool
/// calls, a conclusion, its findings and their correction.
const QUESTIONS: usize = 8;

/// A model. The analyst makes two claims. The doubter tries to restart the service, reads its status, and judges the
/// claims as in `found`. At first, it leaves out the second claim.
fn play(request: &SeenRequest, found: [&str; 2]) -> Behaviour {
    let (turn, is_output) = (
        request.assistant_turns(),
        request.contains("You turn the conclusion"),
    );
    let call = |tool: &str| {
        format!("Thought: so\nAction: ledger.{tool}\nAction Input: {{\"service\": \"checkout\"}}")
    };
    let check = |claim: &str, finding: &str| json!({"claim": claim, "finding": finding, "excerpt": "answers 503"});
    let [first, second] = found;
    Behaviour::text(match (is_output, request.model == "fake-2", turn) {
        (true, true, 0) => json!({"checks": [check("k1", first)]}).to_string(),
        (true, true, _) => json!({"checks": [check("k1", first), check("k2", second)]}).to_string(),
        (true, false, _) => json!({"claims": [
            {"text": "Checkout answers 503.", "calls": ["c1"]}, {"text": "It began at once.", "calls": ["c1"]},
        ]})
        .to_string(),
        (false, true, 0) => call("restart_service"),
        (false, true, 1) | (false, false, 0) => call("read_status"),
        (false, true, _) => "Final Answer: I looked again.".to_owned(),
        (false, false, _) => format!("Final Answer: {ANSWER}"),
    })
}

async fn fleet(model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static) -> Fleet {
    Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG)
}

async fn detail(api: &Ingest, session: Uuid) -> Value {
    let path = format!("{}/api/v1/history/sessions/{session}", api.url);
    reqwest::get(path).await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refuted_claim_lowers_the_verdict_and_is_read_by_later_stages() {
    let found = Arc::new(Mutex::new(["holds"; 2]));
    let findings_of_model = Arc::clone(&found);
    let fleet = fleet(move |request| play(request, *findings_of_model.lock().unwrap())).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    for (number, (findings, verdict, refuted)) in (1..).zip([
        (["holds", "holds"], "supported", 0),
        (["holds", "cannot_tell"], "supported", 0),
        (["holds", "refuted"], "partly_supported", 1),
        (["refuted", "refuted"], "unsupported", 2),
    ]) {
        *found.lock().unwrap() = findings;
        let session = fleet.submit(&api, "Verified").await;
        let ended = fleet.rows.ended(session, SOON).await;
        let answer = ended.final_analysis;
        assert_eq!(answer.as_deref(), Some(ANSWER), "not that of the doubter");
        let shown = detail(&api, session).await;
        let check = &shown["verdict_check"];
        assert_eq!(shown["verdict"], verdict, "{check}");
        let stages = shown["stages"].as_array().unwrap();
        let of_analysis = &stages[0]["stage_output"]["verdict"]["verdict"];
        assert_eq!(of_analysis, "supported", "what the program found stays");
        let output = &stages[1]["stage_output"];
        assert_eq!(stages[1]["agent"], "Doubter");
        assert_eq!(output.get("verdict"), None, "{output}");
        let (data, checks) = (&output["data"], &output["data"]["checks"]);
        assert_eq!(
            (&data["of"], &data["refuted"]),
            (&json!("analysis"), &json!(refuted))
        );
        assert_eq!(checks[1]["claim"], "It began at once.");
        assert_eq!(checks[1]["finding"], findings[1]);
        let result = output["result"].as_str().unwrap();
        let first = format!("{refuted} of 2 claims refuted.");
        assert!(result.starts_with(&first), "{result}");
        let page = &stages[2]["status"];
        assert_eq!(page, if refuted == 0 { "completed" } else { "skipped" });
        if refuted > 0 {
            let expected = format!("A second model refuted {refuted} of 2 claims.");
            let summary = check["summary"].as_str().unwrap();
            assert!(summary.ends_with(&expected), "{check}");
            assert_eq!(
                (&check["refuted"], &check["verified"]),
                (&json!(refuted), &json!(2))
            );
        }
        assert_eq!(fleet.llm.count(), number * QUESTIONS);
    }
    let restarts = fleet.ledger.calls("restart_service");
    assert_eq!(restarts, 0, "it may only read");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_before_the_findings_leaves_the_same_and_asks_nothing_twice() {
    let hanging = Arc::new(AtomicBool::new(true));
    let hangs = Arc::clone(&hanging);
    let fleet = fleet(
        move |request| match request.contains("That can't be used") {
            true if hangs.load(Ordering::SeqCst) => Behaviour::Hang,
            _ => play(request, ["holds", "refuted"]),
        },
    )
    .await;
    let (api, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Verified").await;
    wait::until("the correction", SOON, async || {
        fleet.llm.count() == QUESTIONS
    })
    .await;
    let required = "select count(*) from jobs where kind = 'stage' and requires @> '{agent:verifying-agent:Doubter}'";
    let rows = "select count(*) from stage_executions where agent = 'Doubter' and requires = 'verifying-agent' and status = 'active'";
    assert_eq!(fleet.rows.count(rows).await, 1);
    stage.kill();
    hanging.store(false, Ordering::SeqCst);
    wait::until("its job", SOON, async || {
        fleet.rows.count(required).await == 1
    })
    .await;
    let _next = fleet.stage_worker();
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        fleet.llm.count(),
        QUESTIONS + 1,
        "only what hung is asked again"
    );
    let shown = detail(&api, session).await;
    assert_eq!(
        shown["verdict"], "partly_supported",
        "{}",
        shown["verdict_check"]
    );
    fleet.assert_sound().await;
}
