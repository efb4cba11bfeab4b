//! Stages that wait for a decision, a time, a signal, or the approval of a tool call.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON, crash_points, scene};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/waits.yaml");

async fn fleet() -> Fleet {
    Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", CONFIG)
}

/// Waits until a session needs an approval, and returns it.
pub(crate) async fn pending_approval(api: &Ingest, session: Uuid) -> Value {
    let path = format!("{}/api/v1/approvals?session={session}", api.url);
    wait::up_to(SOON, async || {
        let answer: Value = reqwest::get(&path).await.ok()?.json().await.ok()?;
        answer["approvals"].get(0).cloned()
    })
    .await
    .expect("an approval is asked for")
}

async fn post(api: &Ingest, path: &str, body: &Value) -> (u16, Value) {
    let request = reqwest::Client::new().post(format!("{}/api/v1/{path}", api.url));
    let answer = request.json(body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

pub(crate) async fn decide(api: &Ingest, approval: &Value, decision: &str) -> (u16, Value) {
    let id = approval["wait_id"].as_str().unwrap();
    let body = json!({"decision": decision, "reason": "a test"});
    post(api, &format!("approvals/{id}"), &body).await
}

async fn statuses(fleet: &Fleet, session: Uuid) -> Vec<String> {
    let stages = fleet.rows.stages(session).await;
    let words = stages
        .iter()
        .map(|stage| format!("{} {}", stage.stage_name, stage.status));
    words.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_lets_through_what_is_approved_and_skips_what_is_denied() {
    let fleet = fleet().await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let (yes, no) = (
        fleet.submit(&api, "Gated").await,
        fleet.submit(&api, "Gated").await,
    );
    let approval = pending_approval(&api, yes).await;
    assert_eq!(
        (&approval["status"], &approval["role"]),
        (&json!("open"), &json!("operator"))
    );
    assert_eq!(decide(&api, &approval, "approve").await.0, 200);
    let (status, refused) = decide(&api, &approval, "deny").await;
    assert_eq!((status, &refused["code"]), (409, &json!("already_decided")));
    assert_eq!(refused["decision"]["status"], "approved");
    assert_eq!(
        decide(&api, &pending_approval(&api, no).await, "deny")
            .await
            .0,
        200
    );

    fleet.rows.ended(yes, SOON).await;
    fleet.rows.ended(no, SOON).await;
    assert_eq!(
        statuses(&fleet, yes).await,
        ["first completed", "gate completed", "report completed"]
    );
    assert_eq!(
        statuses(&fleet, no).await,
        ["first completed", "gate completed", "report skipped"]
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_severe_is_held_until_its_investigation_is_approved() {
    let fleet = fleet().await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let alert = |severity: &str, number: u8| json!({"alert_type": "Held", "runbook": "local:none.md", "severity": severity, "data": {"number": number}});
    let severe = fleet.submit_body(&api, &alert("critical", 1)).await;
    fleet.rows.ended(severe, SOON).await;
    assert_eq!(statuses(&fleet, severe).await, ["report completed"]);

    let (wanted, unwanted) = (
        fleet.submit_body(&api, &alert("warning", 2)).await,
        fleet.submit_body(&api, &alert("low", 3)).await,
    );
    let approval = pending_approval(&api, wanted).await;
    assert_eq!(approval["stage_name"], "hold", "{approval}");
    let before = fleet.llm.requests().len();
    assert_eq!(
        decide(&api, &pending_approval(&api, unwanted).await, "deny")
            .await
            .0,
        200
    );
    let ended = fleet.rows.ended(unwanted, SOON).await;
    assert_eq!(ended.status, "cancelled");
    let why = ended.error_message.unwrap();
    assert!(
        why.starts_with("held, and not investigated. Denied by"),
        "{why}"
    );
    assert_eq!(fleet.llm.requests().len(), before, "nothing was paid for");

    assert_eq!(decide(&api, &approval, "approve").await.0, 200);
    assert_eq!(fleet.rows.ended(wanted, SOON).await.status, "completed");
    assert_eq!(
        statuses(&fleet, wanted).await,
        ["hold completed", "report completed"]
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_is_the_data_of_the_stage_that_waits_for_it() {
    let fleet = fleet().await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Signalled").await;
    let path = format!("sessions/{session}/signals/deployed");
    wait::until("the stage waits", SOON, async || {
        fleet
            .rows
            .count("select count(*) from stage_executions where status = 'waiting'")
            .await
            == 1
    })
    .await;
    let (status, refused) = post(
        &api,
        &format!("sessions/{session}/signals/other"),
        &json!(1),
    )
    .await;
    assert_eq!(
        (status, &refused["code"]),
        (409, &json!("no_signal_awaited"))
    );
    assert_eq!(post(&api, &path, &json!({"version": 7})).await.0, 200);
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        statuses(&fleet, session).await,
        ["deployed completed", "report completed"]
    );
    assert_eq!(
        post(&api, &path, &json!({})).await.0,
        409,
        "it is decided once"
    );
    fleet.assert_sound().await;
}

/// Returns the crash points whose names begin with one of these prefixes.
fn points_of(prefixes: &[&str]) -> Vec<String> {
    let points = crash_points().into_iter().map(|point| point.name);
    points
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_while_a_wait_opens_or_ends_loses_and_doubles_nothing() {
    let points = points_of(&["chain.wait.", "chain.expire."]);
    assert_eq!(points.len(), 4, "{points:?}");
    for point in points {
        let fleet = fleet().await;
        let (api, _stage) = (fleet.ingest().await, fleet.stage_worker());
        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", &point);
        let armed = armed.start().unwrap();
        let session = fleet.submit(&api, "Timed").await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let _chain = fleet.chain_worker();
        fleet.rows.ended(session, SOON).await;
        assert_eq!(
            statuses(&fleet, session).await,
            ["pause completed", "report completed"],
            "{point}"
        );
        assert_eq!(
            fleet.rows.count("select count(*) from waits").await,
            1,
            "{point}"
        );
        // The job that was taken over may read the session after its end.
        wait::until("the jobs to end", SOON, async || {
            fleet.rows.count("select count(*) from jobs").await == 0
        })
        .await;
        fleet.assert_sound_after(&point).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_made_once_after_its_approval_despite_crashes() {
    let points = points_of(&["stage.wait."]);
    assert_eq!(points.len(), 2, "{points:?}");
    for point in points {
        let fleet = fleet().await;
        let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
        let armed = fleet.program("stage-worker").env("TARSY_CRASH_AT", &point);
        let armed = armed.start().unwrap();
        let session = fleet.submit(&api, "Asked").await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let stage = fleet.stage_worker();
        let approval = pending_approval(&api, session).await;
        assert_eq!(
            (
                &approval["call"]["server"],
                &approval["call"]["tool"],
                &approval["call"]["effect"]
            ),
            (
                &json!("ledger"),
                &json!("restart_service"),
                &json!("destructive")
            )
        );
        let shown = approval["call"]["shown"].as_str().unwrap_or_default();
        let whole = "ledger.restart_service (destructive)\n{\n  \"service\": \"checkout\"\n}";
        assert_eq!(shown, whole);
        assert_eq!(
            fleet.ledger.calls("restart_service"),
            0,
            "{point}: not without approval"
        );
        // A waiting stage has no job except the one that ends it at its timeout.
        wait::until("nothing to be run", SOON, async || {
            let others = "select count(*) from jobs where state <> 'scheduled'";
            fleet.rows.count(others).await == 0
        })
        .await;

        // No worker is alive between the approval and the call.
        stage.kill();
        assert_eq!(decide(&api, &approval, "approve").await.0, 200);
        let _stage = fleet.stage_worker();
        let ended = fleet.rows.ended(session, SOON).await;
        assert_eq!(
            ended.outcome.as_deref(),
            Some("completed"),
            "{point}: {ended:?}"
        );
        assert_eq!(fleet.ledger.calls("restart_service"), 1, "{point}");
        fleet.assert_sound_after(&point).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_approved_and_begun_is_not_made_again_by_another_worker() {
    let fleet = fleet().await;
    let (api, _chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Asked").await;
    let approval = pending_approval(&api, session).await;
    stage.kill();
    let armed = fleet.program("stage-worker");
    let armed = armed
        .env("TARSY_CRASH_AT", "record.finish_mcp.before_commit")
        .start()
        .unwrap();
    assert_eq!(decide(&api, &approval, "approve").await.0, 200);
    assert_eq!(armed.ended(SOON).await.signal(), Some(9));
    assert_eq!(fleet.ledger.calls("restart_service"), 1);
    let _stage = fleet.stage_worker();
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        fleet.ledger.calls("restart_service"),
        1,
        "its outcome is unknown"
    );
    assert_eq!(
        fleet.rows.count("select count(*) from waits").await,
        1,
        "nobody is asked again"
    );
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_is_not_made_and_the_model_learns_by_whom_and_why() {
    let fleet = fleet().await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Asked").await;
    assert_eq!(
        decide(&api, &pending_approval(&api, session).await, "deny")
            .await
            .0,
        200
    );
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert_eq!(fleet.ledger.calls("restart_service"), 0);
    let is_in_prompt = fleet
        .llm
        .requests()
        .iter()
        .any(|request| request.contains("denied it. Reason: a test"));
    assert!(is_in_prompt, "the model goes on with the decision");
    fleet.assert_sound().await;
}
