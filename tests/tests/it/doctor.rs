//! `tarsy doctor` next to a live fleet: it finds every fault, and names the fix.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, serve};
use serde_json::Value;
use tarsy_testing::Pair;
use tarsy_tests::command::{self, CommandOutput};
use tarsy_tests::{Fleet, SOON, scene};

const NOWHERE: &str = "http://127.0.0.1:1/v1";

/// Runs `tarsy doctor` as an operator with this environment.
async fn doctor(environment: &[(&str, &str)]) -> (CommandOutput, Vec<Value>) {
    let output = command::tarsy("doctor --json", environment).await;
    let checks = serde_json::from_str(&output.out).unwrap();
    (output, checks)
}

/// Fails unless a check has this area and verdict, and its finding and fix contain the texts.
#[track_caller]
fn found(checks: &[Value], area: &str, verdict: &str, finding: &str, fix: &str) {
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let is_it = |check: &Value| {
        check["area"] == area
            && check["verdict"] == verdict
            && text(check, "finding").contains(finding)
            && text(check, "fix").contains(fix)
    };
    assert!(
        checks.iter().any(is_it),
        "no {area} {verdict} `{finding}`: {checks:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_finds_missing_workers_and_all_that_can_not_be_reached() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    let environment = fleet.environment();

    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let (output, checks) = doctor(&environment).await;
    output.fails_with_error("");
    found(
        &checks,
        "workers",
        "failure",
        "no live chain-worker",
        "tarsy chain-worker",
    );
    found(
        &checks,
        "workers",
        "failure",
        "no live stage-worker",
        "tarsy stage-worker",
    );
    found(
        &checks,
        "queue",
        "failure",
        "`chain` has 1 jobs ready and no live worker",
        "start a worker",
    );
    found(&checks, "models", "ok", "`fake` is reachable", "");
    found(&checks, "tools", "ok", "`ledger` offers", "");
    found(&checks, "github", "ok", "no GITHUB_TOKEN", "");

    let _workers = [
        fleet.chain_worker(),
        fleet.chain_worker(),
        fleet.stage_worker(),
    ];
    fleet.rows.ended(session, SOON).await;
    fleet.workers(3).await;
    let (output, checks) = doctor(&environment).await;
    found(&checks, "workers", "ok", "2 live chain-workers", "");
    found(
        &checks,
        "workers",
        "warning",
        "only one live stage-worker",
        "run two or more",
    );
    assert!(output.out.contains("none dead"), "{checks:#?}");
    // Ignores the built-in Kubernetes server, which finds no cluster here.
    let failed = checks.iter().filter(|check| check["verdict"] == "failure");
    let failed: Vec<_> = failed
        .filter(|check| !check["finding"].to_string().contains("kubernetes-server"))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");

    let paused = [("TARSY_URL", ingest.url.as_str())];
    command::tarsy("queues pause stage:default --reason upgrade", &paused)
        .await
        .prints("");
    let cut_off = fleet.with("TARSY_TEST_LLM_URL", NOWHERE).with_dead_server();
    let (output, checks) = doctor(&cut_off.environment()).await;
    output.fails_with_error("");
    found(
        &checks,
        "queue",
        "warning",
        "`stage:default` is paused by",
        "tarsy queues resume stage:default",
    );
    found(
        &checks,
        "models",
        "failure",
        "`fake` is unreachable",
        "check the address",
    );
    found(
        &checks,
        "tools",
        "failure",
        "`ledger` is unusable",
        "tarsy tools ",
    );
}

/// Starts a GitHub Enterprise server that accepts only this token, and responds with this status and text. Returns its
/// port.
async fn github(token: &'static str, status: StatusCode, text: &'static str) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = move |request: Request| async move {
        let sent = request.headers().get("authorization");
        let is_known = sent.is_some_and(|sent| *sent == format!("Bearer {token}"));
        match (request.uri().path(), is_known) {
            ("/api/v3/rate_limit", true) => (status, text),
            (_, true) => (StatusCode::IM_A_TEAPOT, ""),
            (_, false) => (StatusCode::UNAUTHORIZED, ""),
        }
    };
    tokio::spawn(async move { serve(listener, Router::new().fallback(answer)).await });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_checks_whether_each_github_accepts_its_token() {
    let port = github("right", StatusCode::OK, "{}").await;
    let fleet = Fleet::new(scene::play)
        .await
        .with(
            "AGENT_CONFIG_FILE",
            concat!(env!("CARGO_MANIFEST_DIR"), "/config/runbooks.yaml"),
        )
        .with("TARSY_TEST_INSIDE", "1");
    let checks_with = async |port: u16, token: &'static str| {
        let port = port.to_string();
        let mut environment = fleet.environment();
        environment.extend([
            ("TARSY_TEST_GITHUB", &*port),
            ("TARSY_TEST_GITHUB_TOKEN", token),
        ]);
        doctor(&environment).await.1
    };
    let host = format!("`localhost:{port}`");
    let checks = checks_with(port, "right").await;
    found(
        &checks,
        "github",
        "ok",
        "no GITHUB_TOKEN: only public runbooks of `github.com`",
        "",
    );
    found(
        &checks,
        "github",
        "ok",
        &format!("{host} accepts the token"),
        "",
    );
    let checks = checks_with(port, "wrong").await;
    let refused = format!("{host} rejects the token: 401");
    found(
        &checks,
        "github",
        "failure",
        &refused,
        "set TARSY_TEST_GITHUB_TOKEN",
    );
    let none = r#"{"message": "Rate limiting is not enabled."}"#;
    for (status, text, verdict, finding) in [
        (StatusCode::NOT_FOUND, none, "ok", "accepts the token"),
        (
            StatusCode::NOT_FOUND,
            "not here",
            "failure",
            "has no API at",
        ),
        (StatusCode::TOO_MANY_REQUESTS, "", "warning", "answers 429"),
        (StatusCode::BAD_GATEWAY, "", "warning", "answers 502"),
    ] {
        let checks = checks_with(github("right", status, text).await, "right").await;
        found(&checks, "github", verdict, finding, "");
    }
    let checks = checks_with(1, "right").await;
    found(
        &checks,
        "github",
        "warning",
        "`localhost:1` is unreachable",
        "check DNS",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_knows_standby_and_replica() {
    let Some((mut pair, db)) = Pair::start().await else {
        return;
    };
    let pool = db.pool().clone();
    let fleet = Fleet::on(db, scene::play)
        .await
        .with("DATABASE_URL", pair.list())
        .with("HISTORY_DATABASE_URL", pair.standby_url());
    let standby = pair.standby.port();

    let checks = doctor(&fleet.environment()).await.1;
    found(
        &checks,
        "database",
        "warning",
        "standbys are asynchronous",
        "set synchronous_standby_names",
    );
    let hosts = format!("127.0.0.1:{standby} is a standby");
    found(&checks, "database", "ok", &hosts, "");
    found(
        &checks,
        "replica",
        "ok",
        "history is read from a replica",
        "",
    );

    pair.make_synchronous(&pool).await;
    let primary_url = pair.primary_url();
    let mut environment = fleet.environment();
    environment.push(("HISTORY_DATABASE_URL", &primary_url));
    let checks = doctor(&environment).await.1;
    found(&checks, "database", "ok", "1 standbys, synchronous: b", "");
    found(
        &checks,
        "replica",
        "failure",
        "is not a standby",
        "name a streaming standby",
    );

    tokio::task::block_in_place(|| pair.standby.kill()).unwrap();
    let (output, checks) = doctor(&fleet.environment()).await;
    output.fails_with_error("");
    let finding = "commits wait for one: synchronous_standby_names = 'b'";
    found(
        &checks,
        "database",
        "failure",
        finding,
        "bring the standby back",
    );
    let hosts = format!("127.0.0.1:{standby} is away");
    found(
        &checks,
        "database",
        "warning",
        &hosts,
        "bring the missing host back",
    );
    found(
        &checks,
        "replica",
        "failure",
        "history is read from the primary",
        "start it",
    );
}

/// Starts a provider that lists its models to clients with the key. Returns its port.
async fn provider() -> u16 {
    let list = async |headers: HeaderMap| {
        let is_known = headers
            .get("authorization")
            .is_some_and(|key| key == "Bearer right");
        match is_known {
            true => (StatusCode::OK, r#"{"data": [{"id": "fake-1"}]}"#),
            false => (StatusCode::UNAUTHORIZED, "{}"),
        }
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/v1/models", axum::routing::get(list));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_tries_keys_and_surroundings_of_the_fleet() {
    let fleet = Fleet::new(scene::play).await;
    let url = format!("http://127.0.0.1:{}/v1/", provider().await);
    let checks_with = async |key: &str| {
        let mut environment = fleet.environment();
        environment.extend([
            ("TARSY_TEST_LLM_URL", url.as_str()),
            ("TARSY_TEST_LLM_KEY", key),
            ("TARSY_AUTH", "on"),
            ("TARSY_OIDC_ISSUER", "https://127.0.0.1:9/realm"),
            ("TARSY_OIDC_AUDIENCE", "tarsy"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9"),
        ]);
        doctor(&environment).await.1
    };
    let checks = checks_with("right").await;
    found(
        &checks,
        "models",
        "ok",
        "`fake` accepts the key and has model `fake-1`",
        "",
    );
    found(
        &checks,
        "sign-in",
        "failure",
        "unreachable",
        "TARSY_OIDC_ISSUER",
    );
    found(&checks, "traces", "failure", "refused", "check the address");
    found(&checks, "disk", "ok", "MiB are free", "");
    let checks = checks_with("wrong").await;
    found(
        &checks,
        "models",
        "failure",
        "`fake` refuses the key: 401",
        "set TARSY_TEST_LLM_KEY",
    );
}
