//! Asks a process's port for probes and metrics.

use reqwest::StatusCode;
use serde_json::Value;
use tarsy_testing::process::Process;

use crate::SOON;

/// The port of a worker, as its log names it, e.g. `http://127.0.0.1:1234`.
///
/// # Panics
///
/// When the worker does not open it soon.
pub async fn url(worker: &Process) -> String {
    let line = worker.printed("probes and metrics are served", SOON).await;
    let address = line.split_once("ops.address=").unwrap().1;
    format!("http://{}", address.split_whitespace().next().unwrap())
}

/// What `path` of a port answers: status and body; `None` while nothing listens.
pub async fn get(url: &str, path: &str) -> Option<(StatusCode, String)> {
    let response = reqwest::get(format!("{url}{path}")).await.ok()?;
    Some((response.status(), response.text().await.ok()?))
}

/// The answer of `/readyz`.
///
/// # Panics
///
/// When nothing listens, or what listens answers no JSON.
pub async fn readiness(url: &str) -> (StatusCode, Value) {
    let (status, body) = get(url, "/readyz").await.unwrap();
    (status, serde_json::from_str(&body).unwrap())
}
