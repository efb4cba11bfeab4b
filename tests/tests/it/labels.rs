//! Labels that a chain defines: the concluding agent gives the session one of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/labels.yaml");
/// The configuration of a worker that knows none of the agents.
const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/children.yaml");
/// Number of model calls of `Texted`: a tool call, the conclusion, the request for claims and label, and its
/// correction.
const QUESTIONS: usize = 4;

/// A model: each agent reads the status in its own form of reply, concludes, and gives the label of `label`.
fn play(request: &SeenRequest, label: impl Fn(&SeenRequest) -> String) -> Behaviour {
    let is = |who: &str| request.contains(who);
    if is("You turn the conclusion") {
        return Behaviour::text(label(request));
    }
    let service = json!({"service": "checkout"});
    let (turn, call) = (request.assistant_turns(), "ledger.read_status");
    if is("You are the native.") {
        return match turn {
            0 => Behaviour::Answer(FakeAnswer::tool_calls([("ledger__read_status", service)])),
            _ => Behaviour::text("Checkout answers 503: native."),
        };
    }
    Behaviour::text(match (turn, is("You are the jsoner.")) {
        (0, true) => {
            json!({"thought": "?", "next": {"action": call, "action_input": service}}).to_string()
        }
        (_, true) => {
            json!({"thought": "!", "next": {"final_answer": "Checkout answers 503: json."}})
                .to_string()
        }
        (0, false) => format!("Thought: look\nAction: {call}\nAction Input: {service}"),
        (_, false) => "Final Answer: Checkout answers 503: text.".to_owned(),
    })
}

/// Returns a label in three forms. The texter's first label is not one of the chain's labels.
fn label(request: &SeenRequest) -> String {
    let claims = json!([{"text": "Checkout answers 503.", "calls": ["c1"]}]);
    match request.assistant_turns() {
        _ if request.contains("503: native.") => "action".to_owned(),
        _ if request.contains("503: json.") => json!({"label": "noise"}).to_string(),
        0 => json!({"claims": claims, "label": "urgent"}).to_string(),
        _ => json!({"claims": claims, "label": "action"}).to_string(),
    }
}

async fn fleet(model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static) -> Fleet {
    Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG)
}

async fn read(api: &Ingest, path: &str) -> Value {
    let path = format!("{}/api/v1/history/{path}", api.url);
    reqwest::get(path).await.unwrap().json().await.unwrap()
}

async fn detail(api: &Ingest, session: Uuid) -> Value {
    read(api, &format!("sessions/{session}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_gets_its_label_in_every_form_of_reply() {
    let fleet = fleet(|request| play(request, label)).await;
    let api = fleet.ingest().await;
    let (chain, stage) = (fleet.chain_worker(), fleet.stage_worker());
    let mut sessions = Vec::new();
    for (alert_type, label) in [
        ("Texted", "action"),
        ("Native", "action"),
        ("Json", "noise"),
    ] {
        let session = fleet.submit(&api, alert_type).await;
        let ended = fleet.rows.ended(session, SOON).await;
        let shown = detail(&api, session).await;
        assert_eq!(shown["label"], label, "{alert_type}: {shown}");
        assert_eq!(shown["label_error"], Value::Null);
        let answer = ended.final_analysis.unwrap();
        assert!(answer.starts_with("Checkout answers 503"), "{answer}");
        sessions.push(session);
    }
    let texted = detail(&api, sessions[0]).await;
    let stages = texted["stages"].as_array().unwrap();
    let report = &stages[0]["stage_output"];
    assert_eq!(report["claims"][0].get("not_shown"), None, "{report}");
    let statuses: Vec<_> = stages.iter().map(|stage| &stage["status"]).collect();
    assert_eq!(
        statuses,
        ["completed", "completed", "skipped"],
        "by the label"
    );
    assert_eq!(stages[0]["agent"], "Texter", "a bare name");
    let collects = detail(&api, sessions[2]).await["stages"][0].clone();
    assert_eq!(
        collects["stage_output"].get("label"),
        None,
        "it concludes nothing"
    );

    let listed = read(&api, "sessions?label=action").await;
    let listed = listed["sessions"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|one| one["label"] == "action"));
    let facets = read(&api, "facets?label=noise").await;
    assert_eq!(facets["label"]["values"], json!({"action": 2, "noise": 1}));
    let options = read(&api, "filter-options").await;
    assert_eq!(options["labels"], json!(["action", "noise", "watch"]));
    let by_agent = read(&api, "sessions?agent=Native").await;
    assert_eq!(by_agent["sessions"].as_array().unwrap().len(), 1);

    let environment = [("TARSY_URL", api.url.as_str())];
    let output = tarsy("sessions --label noise", &environment).await;
    output.prints(&sessions[2].to_string());
    let output = tarsy(&format!("sessions show {}", sessions[2]), &environment).await;
    output.prints("Label: noise");
    let export = format!("{}/api/v1/history/sessions/{}/export", api.url, sessions[1]);
    let export = reqwest::get(format!("{export}?format=md")).await.unwrap();
    let export = export.text().await.unwrap();
    assert!(export.contains("- **Label:** action"), "{export}");
    fleet.assert_sound().await;

    drop((chain, stage));
    let replay = format!(
        "{}/api/v1/admin/sessions/{}/stages/0/replay",
        api.url, sessions[1]
    );
    let replay = reqwest::Client::new()
        .post(replay)
        .json(&json!({"reason": "test"}));
    assert!(replay.send().await.unwrap().status().is_success());
    let shown = detail(&api, sessions[1]).await;
    let none = (&shown["label"], &shown["label_error"]);
    assert_eq!(none, (&Value::Null, &Value::Null), "it runs again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_agent_gives_none_of_the_labels_shows_that_it_has_none() {
    let fleet = fleet(|request| play(request, |_| json!({"label": "urgent"}).to_string())).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Native").await;
    fleet.rows.ended(session, SOON).await;
    // A tool call, the conclusion, the request for a label and one correction.
    assert_eq!(fleet.llm.count(), 4);
    let shown = detail(&api, session).await;
    assert_eq!(
        (&shown["status"], &shown["label"]),
        (&json!("completed"), &Value::Null)
    );
    let why = "`urgent` is no label; the labels are `noise`, `watch`, `action`";
    assert_eq!(shown["label_error"], why);
    let environment = [("TARSY_URL", api.url.as_str())];
    let output = tarsy(&format!("sessions show {session}"), &environment).await;
    output.prints("Label: none: `urgent` is no label");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_before_the_label_leaves_the_same_label_and_asks_nothing_twice() {
    let hanging = Arc::new(AtomicBool::new(true));
    let hangs = Arc::clone(&hanging);
    let fleet = fleet(
        move |request| match request.contains("That can't be used") {
            true if hangs.load(Ordering::SeqCst) => Behaviour::Hang,
            _ => play(request, label),
        },
    )
    .await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let session = fleet.submit(&api, "Texted").await;
    let required = "select count(*) from jobs where kind = 'stage' and requires @> '{agent:labelling-agent:Texter}'";
    wait::until("the stage's job", SOON, async || {
        fleet.rows.count(required).await == 1
    })
    .await;
    // Simulates jobs written by a statement without requirements.
    sqlx::query("update jobs set requires = null where kind = 'stage'")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    let other = fleet
        .program("stage-worker")
        .env("AGENT_CONFIG_FILE", OTHER);
    let _other = other.start().unwrap();
    wait::until("it to be left", SOON, async || {
        fleet.rows.count(required).await == 1
    })
    .await;
    assert_eq!(fleet.llm.count(), 0);

    let stage = fleet.stage_worker();
    wait::until("the correction", SOON, async || {
        fleet.llm.count() == QUESTIONS
    })
    .await;
    stage.kill();
    hanging.store(false, Ordering::SeqCst);
    let _next = fleet.stage_worker();
    let ended = fleet.rows.ended(session, SOON).await;
    assert!(
        ended
            .final_analysis
            .unwrap()
            .starts_with("Checkout answers 503")
    );
    assert_eq!(
        fleet.llm.count(),
        QUESTIONS + 1,
        "only what hung is asked again"
    );
    assert_eq!(detail(&api, session).await["label"], "action");
    fleet.assert_sound().await;
}
