//! A chain worker fetches runbooks only from allowed places.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use tokio::net::TcpListener;
use uuid::Uuid;

const TOKEN: &str = "canary-github-token";

/// Token and `ETag` of a request.
type GitHubRequest = (Option<String>, Option<String>);

/// A fake GitHub with one runbook that records its requests.
#[derive(Clone, Default)]
struct GitHub(Arc<Mutex<Vec<GitHubRequest>>>);

impl GitHub {
    async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::clone(&self.0);
        let answer = move |request: Request| {
            let header = |name: &str| {
                let value = request.headers().get(name)?;
                Some(value.to_str().unwrap().to_owned())
            };
            let known = header("if-none-match");
            let is_there = request.uri().path() == "/api/v3/repos/ops/runbooks/contents/disk.md";
            requests
                .lock()
                .unwrap()
                .push((header("authorization"), known.clone()));
            async move {
                match (is_there, known.as_deref()) {
                    (false, _) => StatusCode::NOT_FOUND.into_response(),
                    (true, Some("\"v1\"")) => StatusCode::NOT_MODIFIED.into_response(),
                    (true, _) => ([("etag", "\"v1\"")], "# Disk\nFree some space.").into_response(),
                }
            }
        };
        tokio::spawn(async move {
            axum::serve(listener, Router::new().fallback(answer))
                .await
                .unwrap();
        });
        port
    }
}

/// Starts a server in a private network that must not be reached. Returns its port and a counter of its connections.
async fn inside() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let hits = Arc::new(AtomicUsize::new(0));
    // Also listens on the same port over IPv6, if available.
    let other = TcpListener::bind(("::1", port)).await.ok();
    for listener in [Some(listener), other].into_iter().flatten() {
        let hits = Arc::clone(&hits);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                hits.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    (port, hits)
}

async fn fleet(github: &GitHub, inside: u16) -> (Fleet, u16) {
    let port = github.start().await;
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/runbooks.yaml");
    let fleet = Fleet::new(scene::play)
        .await
        .with("AGENT_CONFIG_FILE", config)
        .with("TARSY_TEST_GITHUB", port.to_string())
        .with("TARSY_TEST_INSIDE", inside.to_string())
        .with("TARSY_TEST_GITHUB_TOKEN", TOKEN);
    (fleet, port)
}

/// Posts an alert with this runbook. Returns its session after its end.
async fn investigated(fleet: &Fleet, ingest: &Ingest, chain: &str, runbook: &str) -> Value {
    let alert = json!({"alert_type": chain, "runbook": runbook, "data": {"key": Uuid::now_v7()}});
    let session = fleet.submit_body(ingest, &alert).await;
    fleet.rows.ended(session, SOON).await;
    sqlx::query_scalar("select to_jsonb(s) from alert_sessions s where session_id = $1")
        .bind(session)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_runbook_leads_inside_and_a_chain_defines_whether_it_continues_without() {
    let (port, hits) = inside().await;
    let (fleet, _) = fleet(&GitHub::default(), port).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0",
        "localhost",
        "localhost.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "user:pw@localhost",
        "github.com@127.0.0.1",
    ] {
        for scheme in ["http", "https"] {
            let runbook = format!("{scheme}://{host}:{port}/a.md");
            let session = investigated(&fleet, &ingest, "Careful", &runbook).await;
            assert_eq!(session["status"], "failed", "{runbook}: {session}");
            assert!(session["runbook_error"].is_string(), "{runbook}");
            assert!(session["runbook_content"].is_null(), "{runbook}");
        }
    }
    for runbook in [
        "http://169.254.169.254/latest/meta-data/",
        "local:../../../../etc/passwd",
    ] {
        let session = investigated(&fleet, &ingest, "Careful", runbook).await;
        assert_eq!(session["status"], "failed", "{runbook}: {session}");
    }
    assert_eq!(fleet.llm.count(), 0, "nothing was asked without a runbook");

    let runbook = format!("http://127.0.0.1:{port}/a.md");
    let session = investigated(&fleet, &ingest, "Careless", &runbook).await;
    assert_eq!(session["status"], "completed", "{session}");
    let reason = session["runbook_error"].as_str().unwrap();
    let requests = fleet.llm.requests();
    assert!(
        requests[0].contains(reason),
        "the model is told why: {reason}"
    );
    assert_eq!(hits.load(Ordering::SeqCst), 0, "somebody came inside");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runbook_of_a_private_github_is_fetched_once_and_then_only_revalidated() {
    let github = GitHub::default();
    let (fleet, port) = fleet(&github, 1).await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let runbook = format!("http://localhost:{port}/ops/runbooks/blob/main/disk.md");
    for _ in 0..2 {
        let session = investigated(&fleet, &ingest, "Careful", &runbook).await;
        assert_eq!(session["status"], "completed", "{session}");
        assert_eq!(session["runbook_content"], "# Disk\nFree some space.");
    }
    let requests = github.0.lock().unwrap().clone();
    let known: Vec<_> = requests.iter().map(|(_, known)| known.as_deref()).collect();
    assert_eq!(known, [None, Some("\"v1\"")], "{requests:?}");
    let bearer = format!("Bearer {TOKEN}");
    assert!(
        requests
            .iter()
            .all(|(token, _)| token.as_deref() == Some(&*bearer))
    );
    let shown: Vec<String> = fleet
        .llm
        .requests()
        .iter()
        .map(|r| r.body.to_string())
        .collect();
    assert!(
        shown
            .iter()
            .all(|body| body.contains("Free some space.") && !body.contains(TOKEN))
    );
}
