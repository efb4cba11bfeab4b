//! A viewer sees no secret of an alert: not on a socket, in a response or in a notification.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

/// Text with a secret, planted in alert, runbook, model answers and provider errors.
const PLANTED: &str = "password=made-up-secret-4711";
const SECRET: &str = "made-up-secret";
/// The alert types of `config/secrets.yaml`.
const TYPES: [&str; 3] = ["Leaky", "LeakyFailure", "LeakyRunbook"];

type Texts = Arc<Mutex<Vec<String>>>;

fn model(request: &SeenRequest) -> Behaviour {
    let is = |who: &str| request.contains(who);
    if is("You are refused.") {
        return Behaviour::fail(401, format!("{PLANTED} is not valid"));
    }
    Behaviour::text(match request.assistant_turns() {
        _ if is("You are the reporter.") => format!("Somebody logged in with {PLANTED}."),
        0 => format!(
            "Thought: {PLANTED}\nAction: ledger.{PLANTED}\nAction Input: {{\"service\": \"{PLANTED}\"}}"
        ),
        1 => format!("Thought: {PLANTED}\nAction: {PLANTED}.read_status\nAction Input: {PLANTED}"),
        2 => format!(
            "Thought: again\nAction: ledger.read_status\nAction Input: {{\"service\": \"{PLANTED}\", \"password\": \"made-up-secret-4711\"}}"
        ),
        _ => format!("Final Answer: {PLANTED}"),
    })
}

fn alert(alert_type: &str) -> Value {
    let runbook = match alert_type {
        "LeakyRunbook" => {
            format!("https://ada:made-up-secret-4711@runbooks.example.com/cart?{PLANTED}")
        }
        _ => "local:leaky.md".to_owned(),
    };
    json!({
        "alert_type": alert_type, "runbook": runbook, "severity": "critical",
        "fingerprint": format!("{alert_type} {PLANTED}"),
        "annotation": PLANTED,
        "data": {
            "message": format!("log in with {PLANTED}"), "password": "made-up-secret-4711",
            "cluster": PLANTED, "environment": PLANTED, "namespace": PLANTED,
            "labels": {"pod": PLANTED, "cluster": PLANTED, "environment": PLANTED, "password": "made-up-secret-4711"},
            "generatorURL": "https://ada:made-up-secret-4711@grafana.example.com/graph",
        },
    })
}

/// Starts a fake notification target. Returns its port and the received texts.
async fn outside() -> (u16, Texts) {
    let texts = Texts::default();
    let take = async |State(texts): State<Texts>, body: String| texts.lock().unwrap().push(body);
    let router = Router::new()
        .route("/told", post(take))
        .with_state(Arc::clone(&texts));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (port, texts)
}

/// Subscribes to the dashboard and to these sessions as a viewer, from their first event on.
async fn watch(ingest: &Ingest, key: &str, sessions: &[String]) -> Texts {
    let request = reqwest::Client::new().post(format!("{}/api/v1/ws-tickets", ingest.url));
    let answer = request.bearer_auth(key).send().await.unwrap();
    let ticket: Value = answer.json().await.unwrap();
    let ticket = ticket["ticket"].as_str().unwrap();
    let url = format!("{}/ws/dashboard/eve?ticket={ticket}", ingest.url);
    let url = url.replacen("http", "ws", 1);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let channels = sessions.iter().map(|id| format!("session_{id}"));
    for channel in channels.chain(["dashboard_updates".to_owned()]) {
        let subscribe = json!({"type": "subscribe", "channel": channel, "last_event_id": 0});
        let subscribe = Message::text(subscribe.to_string());
        socket.send(subscribe).await.unwrap();
    }
    let texts = Texts::default();
    let received = Arc::clone(&texts);
    tokio::spawn(async move {
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Text(text) = message {
                received.lock().unwrap().push(text.to_string());
            }
        }
    });
    texts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_sees_no_secret_of_an_alert() {
    let (port, delivered) = outside().await;
    let runbooks = tempfile::tempdir().unwrap();
    std::fs::write(runbooks.path().join("leaky.md"), PLANTED).unwrap();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/secrets.yaml");
    let fleet = Fleet::new(model)
        .await
        .with("AGENT_CONFIG_FILE", config)
        .with("TARSY_AUTH", "on")
        .with("TARSY_TEST_RUNBOOKS", runbooks.path().to_str().unwrap())
        .with("TARSY_TEST_WHSEC", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        .with("TARSY_TEST_OUTSIDE", port.to_string());
    let ingest = fleet.ingest().await;
    let database = [("DATABASE_URL", fleet.database_url())];
    let key = async |role: &str| {
        let create = format!("keys create {role} --role {role} --reason test");
        tarsy(&create, &database).await.out.trim().to_owned()
    };
    let (viewer, sender) = (key("viewer").await, key("ingest").await);

    let (mut sessions, mut alerts) = (Vec::new(), Vec::new());
    for alert_type in TYPES {
        let request = reqwest::Client::new().post(format!("{}/alerts", ingest.url));
        let answer = request.bearer_auth(&sender).json(&alert(alert_type));
        let accepted: Value = answer.send().await.unwrap().json().await.unwrap();
        let id = |name: &str| accepted[name].as_str().unwrap().to_owned();
        sessions.push(id("session_id"));
        alerts.push(id("alert_id"));
    }
    let received = watch(&ingest, &viewer, &sessions).await;
    let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());
    wait::until("notifications of all ends", SOON, async || {
        delivered.lock().unwrap().len() == TYPES.len()
    })
    .await;
    wait::until("the ends on both channels", SOON, async || {
        let received = received.lock().unwrap();
        let ends = received.iter().filter(|text| {
            text.contains("session_status_change")
                && ["\"completed\"", "\"failed\""]
                    .iter()
                    .any(|end| text.contains(end))
        });
        ends.count() == TYPES.len() * 2
    })
    .await;
    wait::until("the search to know the ends", SOON, async || {
        let indexed = "select count(*) from session_search where completed_at_us is not null";
        fleet.rows.count(indexed).await == 3
            && fleet
                .rows
                .count("select count(*) from session_traits where trait like 'cluster=%'")
                .await
                == 3
    })
    .await;

    let received = received.lock().unwrap().clone();
    for kind in [
        "stage_progress",
        "chain_progress",
        "llm_interaction",
        "mcp_interaction",
    ] {
        assert!(
            received.iter().any(|text| text.contains(kind)),
            "no {kind}: {received:#?}"
        );
    }
    for text in received.iter().chain(delivered.lock().unwrap().iter()) {
        assert!(!text.contains(SECRET), "{text}");
    }

    let mut paths: Vec<String> = alerts.iter().map(|id| format!("/alerts/{id}")).collect();
    for id in &sessions {
        let session = format!("/api/v1/history/sessions/{id}");
        for part in [
            "",
            "?interactions=none",
            "/summary",
            "/interactions",
            "/duplicates",
            "/export?format=json",
            "/export?format=csv",
            "/export?format=md",
        ] {
            paths.push(format!("{session}{part}"));
        }
    }
    for path in [
        "history/sessions",
        "history/sessions?search=checkout",
        "history/search?q=log%20in%20with",
        "history/active-sessions",
        "history/filter-options",
        "history/facets",
        "history/metrics",
        "admin/audit-log",
        "admin/dead-jobs",
        "admin/webhook-deliveries",
        "admin/config",
        "admin/upstreams",
        "admin/queues",
        "admin/workers",
    ] {
        paths.push(format!("/api/v1/{path}"));
    }
    paths.extend(["/health".to_owned(), "/metrics".to_owned()]);
    let mut leaks = Vec::new();
    for path in &paths {
        let request = reqwest::Client::new().get(format!("{}{path}", ingest.url));
        let answer = request.bearer_auth(&viewer).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let text = answer.text().await.unwrap();
        leaks.extend(text.match_indices(SECRET).map(|(at, _)| {
            let around = text.floor_char_boundary(at.saturating_sub(120));
            format!("{path}: {}", &text[around..at + SECRET.len()])
        }));
    }
    assert_eq!(leaks, [""; 0]);
    for guess in ["made-up", "secret-4711"] {
        let path = format!("{}/api/v1/history/search?q={guess}", ingest.url);
        let answer = reqwest::Client::new().get(path).bearer_auth(&viewer).send();
        let found: Value = answer.await.unwrap().json().await.unwrap();
        assert_eq!(
            found["sessions"],
            json!([]),
            "a search tells a secret: {guess}"
        );
    }
}
