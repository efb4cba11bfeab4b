//! The verdict of a session, from the check of its answer against the tool results.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_tests::command::tarsy;
use tarsy_tests::scene::play;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const SHOWN: &str =
    "# Report\n\n## Root cause\n\n`checkout` answers 503.\n\n## Evidence\n\n`ledger-7` is fine.";
const INVENTED: &str = "## Root cause\n\n`payments-db-primary` refuses connections on port 5432.";

/// Creates a fleet whose reporter answers this.
async fn fleet(report: &'static str) -> Fleet {
    Fleet::new(
        move |request: &SeenRequest| match request.contains("You are the reporter.") {
            true => Behaviour::text(report),
            false => play(request),
        },
    )
    .await
}

/// Creates a fleet whose agents all conclude at once, without tool calls.
async fn idle_fleet() -> Fleet {
    Fleet::new(|_: &SeenRequest| Behaviour::text(format!("Final Answer: {INVENTED}"))).await
}

async fn read(api: &Ingest, path: &str) -> Value {
    let path = format!("{}/api/v1/history/{path}", api.url);
    reqwest::get(path).await.unwrap().json().await.unwrap()
}

/// Returns the session's verdict and its check from the API.
async fn verdict(fleet: &Fleet, api: &Ingest, session: Uuid) -> (Value, Value) {
    fleet.rows.ended(session, SOON).await;
    let shown = read(api, &format!("sessions/{session}")).await;
    (shown["verdict"].clone(), shown["verdict_check"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_checked_against_the_calls_of_earlier_stages() {
    let fleet = fleet(SHOWN).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "CheckoutDown").await;
    let (verdict, check) = verdict(&fleet, &api, session).await;
    assert_eq!(verdict, "supported", "{check}");
    assert_eq!(check["unknown_names"], json!(["ledger-7"]), "{check}");
    assert_eq!(check["calls"], 3, "{check}");

    let listed = read(&api, "sessions?verdict=supported").await;
    assert_eq!(listed["sessions"][0]["verdict"], "supported", "{listed}");
    assert_eq!(listed["sessions"][0]["verdict_summary"], check["summary"]);
    let others = read(&api, "sessions?verdict=unsupported").await;
    assert_eq!(others["sessions"], json!([]));
    let facets = read(&api, "facets?verdict=unsupported").await;
    assert_eq!(facets["verdict"]["values"], json!({"supported": 1}));
    let export = format!(
        "{}/api/v1/history/sessions/{session}/export?format=md",
        api.url
    );
    let export = reqwest::get(export).await.unwrap().text().await.unwrap();
    assert!(export.contains("- **Verdict:** supported. "), "{export}");

    let environment = [("TARSY_URL", api.url.as_str())];
    let output = tarsy("sessions --verdict supported", &environment).await;
    output.prints(&session.to_string());
    let output = tarsy(&format!("sessions show {session}"), &environment).await;
    output.prints("Names that no tool showed: ledger-7");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invented_cause_is_no_success_of_a_command() {
    for (fleet, expected) in [
        (fleet(INVENTED).await, "unsupported"),
        (idle_fleet().await, "not_investigated"),
    ] {
        let (api, _chain, _stage) = (
            fleet.ingest().await,
            fleet.chain_worker(),
            fleet.stage_worker(),
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("alert.json");
        let alert = json!({"alert_type": "CheckoutDown", "data": {"service": "checkout"}});
        std::fs::write(&file, alert.to_string()).unwrap();
        let environment = [("TARSY_URL", api.url.as_str())];
        let output = tarsy(&format!("submit {} --wait", file.display()), &environment).await;
        output.fails_printing(expected);
        let session = read(&api, &format!("sessions?verdict={expected}")).await;
        assert_eq!(session["sessions"][0]["status"], "completed", "{session}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_runs_again_has_no_verdict() {
    let fleet = idle_fleet().await;
    let api = fleet.ingest().await;
    let (chain, stage) = (fleet.chain_worker(), fleet.stage_worker());
    let session = fleet.submit(&api, "CheckoutDown").await;
    assert_eq!(verdict(&fleet, &api, session).await.0, "not_investigated");
    drop((chain, stage));
    let client = reqwest::Client::new();
    let replay = format!(
        "{}/api/v1/admin/sessions/{session}/stages/2/replay",
        api.url
    );
    let replay = client.post(replay).json(&json!({"reason": "test"}));
    let answer = replay.send().await.unwrap();
    assert!(
        answer.status().is_success(),
        "{}",
        answer.text().await.unwrap()
    );
    let shown = read(&api, &format!("sessions/{session}")).await;
    assert_eq!(
        (&shown["verdict"], &shown["verdict_check"]),
        (&Value::Null, &Value::Null)
    );
    let cancel = format!("{}/api/v1/admin/sessions/{session}/cancel", api.url);
    let answer = client
        .post(cancel)
        .json(&json!({"reason": "test"}))
        .send()
        .await
        .unwrap();
    assert!(
        answer.status().is_success(),
        "{}",
        answer.text().await.unwrap()
    );
    let (cancelled, check) = verdict(&fleet, &api, session).await;
    assert_eq!(cancelled, "not_checked", "{check}");
}
