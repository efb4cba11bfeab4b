//! Reports and session actions of `tarsy`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, command, scene};
use tokio::net::TcpListener;

use super::tarsy;

/// Starts a notification target that responds with 410. Returns its port and its counter of requests.
async fn gone() -> (u16, Arc<AtomicUsize>) {
    let sent = Arc::<AtomicUsize>::default();
    let refuse = async |State(sent): State<Arc<AtomicUsize>>| {
        sent.fetch_add(1, Ordering::SeqCst);
        StatusCode::GONE
    };
    let router = Router::new()
        .route("/told", post(refuse))
        .with_state(Arc::clone(&sent));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (port, sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_judged_and_exported_and_the_fleet_reports() {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/secrets.yaml");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/runbooks");
    let (port, sent) = gone().await;
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config)
        .with("TARSY_TEST_RUNBOOKS", fixtures)
        .with("TARSY_TEST_WHSEC", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        .with("TARSY_TEST_OUTSIDE", port.to_string());
    let ingest = fleet.ingest().await;
    let url = ingest.url.as_str();
    let run = async |arguments: &str| tarsy(url, arguments).await;
    let health = run("health").await;
    health.fails_with_error("");
    assert!(
        health.out.contains("degraded"),
        "nobody works yet: {}",
        health.out
    );
    let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());
    let session = fleet.submit(&ingest, "Leaky").await;
    fleet.rows.ended(session, SOON).await;

    let health = run("health").await;
    health.prints("healthy");
    health.prints("stage-worker");
    assert_eq!(run("health --json").await.json()["status"], "healthy");
    let environment = [
        ("DATABASE_URL", fleet.database_url()),
        ("AGENT_CONFIG_FILE", config),
        ("TARSY_TEST_RUNBOOKS", fixtures),
        ("TARSY_TEST_OUTSIDE", "1"),
    ];
    let checks = command::tarsy("doctor --offline --json", &environment)
        .await
        .json();
    let verdicts = |area: &'static str| {
        let all = checks.as_array().unwrap().iter();
        all.filter(move |one| one["area"] == area)
            .map(|one| one["verdict"].clone())
    };
    assert!(
        verdicts("workers").all(|verdict| verdict != "failure"),
        "{checks}"
    );
    assert!(verdicts("queue").any(|verdict| verdict == "ok"), "{checks}");
    run("upstreams").await.prints("ledger");
    let upstreams = run("upstreams --json").await.json();
    let provider = upstreams["providers"].as_array().unwrap().iter();
    let provider = provider.clone().find(|one| one["name"] == "fake").unwrap();
    assert!(
        provider["calls"]["calls"].as_i64().unwrap() > 0,
        "{provider}"
    );

    run(&format!("acknowledge {session} --reason seen"))
        .await
        .prints("acknowledged by api-client");
    run(&format!("assign {session} ada --reason hers"))
        .await
        .prints("assigned to ada");
    run(&format!("rate {session} right"))
        .await
        .prints("rated right");
    run(&format!("rate {session} splendid"))
        .await
        .fails_with_error("splendid");
    let undone = run(&format!("rate {session} --undo --json")).await.json();
    assert_eq!(
        (&undone["rating"], &undone["assignee"]),
        (&Value::Null, &json!("ada"))
    );
    run(&format!("assign {session} --nobody"))
        .await
        .prints("assigned to ");
    run(&format!(
        "acknowledge {} --reason seen",
        uuid::Uuid::now_v7()
    ))
    .await
    .fails_with_error("session_not_found");

    let audited = run(&format!("audit --subject {session}")).await;
    for part in [
        "session.acknowledge",
        "session.assign",
        "session.rate",
        "seen",
        "hers",
    ] {
        audited.prints(part);
    }
    let assigned = run("audit --action session.assign --limit 1 --json")
        .await
        .json();
    assert_eq!(assigned["entries"].as_array().unwrap().len(), 1);
    run("audit --actor nobody").await.prints("no entries");

    run(&format!("export {session}"))
        .await
        .prints(scene::ANALYSIS);
    run(&format!("export {session} --format csv"))
        .await
        .prints(r#""session_id","stage_index""#);
    let exported = run(&format!("export {session} --json")).await.json();
    assert_eq!(exported["session_id"], session.to_string());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.md");
    run(&format!("export {session} --output {}", file.display()))
        .await
        .prints("");
    assert!(
        std::fs::read_to_string(file)
            .unwrap()
            .contains(scene::ANALYSIS)
    );

    wait::until("the target to refuse", SOON, async || {
        run("deliveries --state failed").await.out.contains("410")
    })
    .await;
    run("deliveries").await.prints("1 failed, 0 pending");
    run("deliveries --target elsewhere")
        .await
        .prints("no deliveries");
    let failed = run(&format!("deliveries --session {session} --json"))
        .await
        .json();
    let delivery = failed["deliveries"][0]["delivery_id"].as_str().unwrap();
    run(&format!("deliveries redeliver {delivery} --reason again"))
        .await
        .prints("is queued again");
    wait::until("another notification", SOON, async || {
        sent.load(Ordering::SeqCst) == 2
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_alert_is_found_shown_and_submitted_again() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    let url = ingest.url.as_str();
    let run = async |arguments: &str| tarsy(url, arguments).await;
    run("rejected").await.prints("no rejected alerts");
    let alert = json!({"alert_type": "Unheard", "runbook": "local:checkout.md", "data": {"pod": "cart", "labels": {"alertname": "CartDown"}}});
    let request = reqwest::Client::new().post(format!("{url}/alerts"));
    let refused = request.json(&alert).send().await.unwrap();
    assert_eq!(refused.status(), 422);
    wait::until("the rejected alert", SOON, async || {
        run("rejected").await.out.contains("unknown_alert_type")
    })
    .await;
    run("rejected list --code unknown_alert_type --source alerts")
        .await
        .prints("Unheard");
    run("rejected list --source unknown")
        .await
        .prints("no rejected alerts");
    let listed = run("rejected --json").await.json();
    let id = listed["rejections"][0]["rejection_id"].as_str().unwrap();
    run(&format!("rejected show {id}")).await.prints("cart");
    run(&format!("rejected submit {id} --reason test"))
        .await
        .fails_with_error("unknown_alert_type");

    // A configuration that knows its type accepts it.
    let folder = tempfile::tempdir().unwrap();
    let known = concat!(env!("CARGO_MANIFEST_DIR"), "/config/fleet.yaml");
    let known = std::fs::read_to_string(known).unwrap();
    let known = known.replacen("[ReportOnly]", "[ReportOnly, Unheard]", 1);
    let path = folder.path().join("known.yaml");
    std::fs::write(&path, known).unwrap();
    let program = fleet.program("ingest-api");
    let program = program.env("AGENT_CONFIG_FILE", path.display().to_string());
    let second = fleet.ingest_with(program).await;
    tarsy(&second.url, &format!("rejected submit {id} --reason test"))
        .await
        .prints("queued");
    tarsy(&second.url, "sessions").await.prints("CartDown");
    assert_eq!(
        fleet
            .rows
            .count("select count(*) from alert_sessions")
            .await,
        1
    );
}
