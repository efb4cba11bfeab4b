//! `tarsy doctor` beside a live fleet: each thing that is wrong is found, with what to do about it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use tarsy_tests::command::{self, Said};
use tarsy_tests::{Fleet, SOON, scene};

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:1/v1";

/// Runs `tarsy doctor` as an operator with this environment.
async fn doctor(environment: &[(&str, &str)]) -> (Said, Vec<Value>) {
    let said = command::tarsy("doctor --json", environment).await;
    let checks = serde_json::from_str(&said.out).unwrap();
    (said, checks)
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
async fn doctor_finds_missing_workers_and_whatever_can_not_be_reached() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    let environment = fleet.environment();

    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let (said, checks) = doctor(&environment).await;
    said.complains("");
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
    let (said, checks) = doctor(&environment).await;
    found(&checks, "workers", "ok", "2 live chain-workers", "");
    found(
        &checks,
        "workers",
        "warning",
        "only one live stage-worker",
        "run two or more",
    );
    assert!(said.out.contains("none dead"), "{checks:#?}");
    // The built-in server finds no cluster here.
    let failed = checks.iter().filter(|check| check["verdict"] == "failure");
    let failed: Vec<_> = failed
        .filter(|check| !check["finding"].to_string().contains("kubernetes-server"))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");

    let paused = [("TARSY_URL", ingest.url.as_str())];
    command::tarsy("queues pause stage:default --reason upgrade", &paused)
        .await
        .holds("");
    let cut_off = fleet.with("TARSY_TEST_LLM_URL", NOWHERE).with_dead_server();
    let (said, checks) = doctor(&cut_off.environment()).await;
    said.complains("");
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
