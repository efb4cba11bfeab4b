//! Agents whose conclusions become data and claims, each claim with the calls that show it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/structured.yaml");
/// The configuration of a worker that knows no agent with structured output.
const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/children.yaml");
const ANALYSIS: &str = "Checkout is down. Nobody noticed.";
/// Number of model calls: two of the collector, a conclusion and two requests for output of the first report, and two
/// of the second report.
const QUESTIONS: usize = 7;

fn answers(request: &SeenRequest) -> Behaviour {
    let claims = json!([
        {"text": "Checkout is down.", "calls": ["c1"]},
        {"text": "Nobody noticed.", "calls": ["c9"]},
    ]);
    let is_output = request.contains("You turn the conclusion");
    let is_report = request.contains("`data`, which must match");
    Behaviour::text(match request.assistant_turns() {
        0 if is_output && is_report => json!({"claims": claims}).to_string(),
        _ if is_output && is_report => {
            json!({"claims": claims, "data": {"severity": "high"}}).to_string()
        }
        _ if is_output => json!({"claims": claims}).to_string(),
        0 if request.contains("You are the collector.") => {
            "Thought: look\nAction: ledger.read_status\nAction Input: {\"service\": \"checkout\"}"
                .to_owned()
        }
        _ if request.contains("You are the collector.") => {
            "Final Answer: it answered 503".to_owned()
        }
        _ => ANALYSIS.to_owned(),
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
async fn claims_lead_to_the_calls_that_show_them_and_data_to_the_next_stages() {
    let fleet = fleet(answers).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Reported").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.final_analysis.as_deref(), Some(ANALYSIS));
    assert_eq!(fleet.llm.count(), QUESTIONS);

    let shown = detail(&api, session).await;
    let stages = shown["stages"].as_array().unwrap();
    let called = stages[0]["chronological_interactions"].as_array().unwrap();
    let called = called.iter().find(|one| {
        one["step_description"]
            .as_str()
            .unwrap()
            .contains("read_status")
    });
    let (report, page) = (&stages[1], &stages[2]);
    let agents: Vec<_> = [report, page].map(|stage| stage["agent"].as_str()).into();
    assert_eq!(agents, [Some("Reporter"); 2], "bare names");
    assert_eq!(shown["chain_definition"]["stages"][1]["agent"], "Reporter");
    assert_eq!(report["stage_output"]["data"], json!({"severity": "high"}));
    assert_eq!(page["status"], "completed", "its condition read the data");
    for stage in [report, page] {
        let claims = &stage["stage_output"]["claims"];
        let cited = &claims[0]["calls"][0]["interaction_id"];
        assert_eq!(*cited, called.unwrap()["interaction_id"], "{claims}");
        assert_eq!(claims[1]["not_shown"], "it cites calls that do not exist");
    }

    let found = format!("{}/api/v1/history/sessions?agent=Reporter", api.url);
    let found: Value = reqwest::get(found).await.unwrap().json().await.unwrap();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");
    let environment = [("TARSY_URL", api.url.as_str())];
    let output = tarsy(&format!("sessions show {session}"), &environment).await;
    output.prints("Claims: 1 of 2 shown by a tool");
    output.prints("- Nobody noticed. [not shown by a tool: it cites calls that do not exist]");
    let export = format!(
        "{}/api/v1/history/sessions/{session}/export?format=md",
        api.url
    );
    let export = reqwest::get(export).await.unwrap().text().await.unwrap();
    assert!(
        export.contains("- Nobody noticed. (not shown by a tool: "),
        "{export}"
    );
}

/// Stages with structured output that the end of another stage began, that are skipped, and that a replay began.
#[tokio::test(flavor = "multi_thread")]
async fn each_way_to_begin_a_stage_keeps_what_it_requires() {
    let fleet = fleet(|request| match answers(request) {
        Behaviour::Answer(mut answer) => {
            answer.text = answer.text.replace("\"high\"", "\"low\"");
            Behaviour::Answer(answer)
        }
        other => other,
    })
    .await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Reported").await;
    fleet.rows.ended(session, SOON).await;
    let required = "select count(*) from stage_executions where agent = 'Reporter' and requires = 'structured-agent'";
    let skipped = "select count(*) from stage_executions where status = 'skipped' and requires = 'structured-agent'";
    assert_eq!(fleet.rows.count(skipped).await, 1);
    assert_eq!(fleet.rows.count(required).await, 2);

    let replay = format!(
        "{}/api/v1/admin/sessions/{session}/stages/1/replay",
        api.url
    );
    let replay = reqwest::Client::new().post(replay);
    let replay = replay.json(&json!({"reason": "test"})).send().await;
    assert!(replay.unwrap().status().is_success());
    fleet.rows.ended(session, SOON).await;
    assert_eq!(fleet.rows.count(required).await, 4);
    let others = "select count(*) from stage_executions
                  where agent like '%structured%' or agent = 'Reporter' and requires is null";
    assert_eq!(fleet.rows.count(others).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_knows_no_structured_output_leaves_it_to_one_that_does() {
    let fleet = fleet(answers).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let session = fleet.submit(&api, "Alone").await;
    let required = "select count(*) from jobs where kind = 'stage' and requires @> '{agent:structured-agent:Reporter}'";
    wait::until("the stage's job", SOON, async || {
        fleet.rows.count(required).await == 1
    })
    .await;
    let stored = "select count(*) from stage_executions where agent = 'Reporter' and requires = 'structured-agent'";
    assert_eq!(fleet.rows.count(stored).await, 1);
    let other = fleet
        .program("stage-worker")
        .env("AGENT_CONFIG_FILE", OTHER);
    let _other = other.start().unwrap();
    // Simulates jobs written by a statement without requirements.
    sqlx::query("update jobs set requires = null where kind = 'stage'")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    wait::until("it to be left", SOON, async || {
        fleet.rows.count(required).await == 1
    })
    .await;
    assert_eq!(fleet.llm.count(), 0);
    let _stage = fleet.stage_worker();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.final_analysis.as_deref(), Some(ANALYSIS));
    assert_eq!(fleet.llm.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_between_conclusion_and_claims_asks_nothing_twice() {
    let hanging = Arc::new(AtomicBool::new(true));
    let hangs = Arc::clone(&hanging);
    let fleet = fleet(
        move |request| match request.contains("That can't be used") {
            true if hangs.load(Ordering::SeqCst) => Behaviour::Hang,
            _ => answers(request),
        },
    )
    .await;
    let (api, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Reported").await;
    // Two calls of the collector, the conclusion, the request for output and its correction, which hangs.
    wait::until("the correction", SOON, async || fleet.llm.count() == 5).await;
    stage.kill();
    hanging.store(false, Ordering::SeqCst);
    let _next = fleet.stage_worker();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.final_analysis.as_deref(), Some(ANALYSIS));
    assert_eq!(
        fleet.llm.count(),
        QUESTIONS + 1,
        "only what hung is asked again"
    );
    assert_eq!(
        detail(&api, session).await["stages"][1]["stage_output"]["claims"][0]["calls"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    fleet.assert_sound().await;
}
