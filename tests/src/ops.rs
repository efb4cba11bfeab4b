//! Requests probes and metrics from a process's operations port.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::StatusCode;
use serde_json::Value;
use tarsy_testing::process::Process;

use crate::SOON;

/// Returns the URL of a worker's operations port from its log, e.g. `http://127.0.0.1:1234`.
///
/// # Panics
///
/// When the worker does not open the port within [`SOON`].
pub async fn url(worker: &Process) -> String {
    let line = worker.printed("probes and metrics are served", SOON).await;
    // The log is text or JSON.
    let address = line.split_once("ops.address").unwrap().1;
    let address = address.trim_start_matches(['"', ':', '=']);
    let end = address.find([' ', '"', ',']).unwrap_or(address.len());
    format!("http://{}", &address[..end])
}

/// Returns the trace ids of the exemplars that a port serves as `OpenMetrics`, by histogram.
///
/// # Panics
///
/// When the port does not respond, or not with `OpenMetrics`.
pub async fn exemplars(url: &str) -> BTreeMap<String, BTreeSet<String>> {
    let request = reqwest::Client::new().get(format!("{url}/metrics"));
    let request = request.header("accept", "application/openmetrics-text; version=1.0.0");
    let response = request.send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = response.text().await.unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        if let Some((sample, exemplar)) = line.split_once(" # {trace_id=\"") {
            let name = sample.split_once("_bucket{").unwrap().0;
            let trace = exemplar.split_once('"').unwrap().0;
            found
                .entry(name.to_owned())
                .or_default()
                .insert(trace.to_owned());
        }
    }
    found
}

/// Requests `path` from a port. Returns status and body, or `None` if the request fails.
pub async fn get(url: &str, path: &str) -> Option<(StatusCode, String)> {
    let response = reqwest::get(format!("{url}{path}")).await.ok()?;
    Some((response.status(), response.text().await.ok()?))
}

/// Returns the status and body of `/readyz`.
///
/// # Panics
///
/// When the port does not respond, or not with JSON.
pub async fn readiness(url: &str) -> (StatusCode, Value) {
    let (status, body) = get(url, "/readyz").await.unwrap();
    (status, serde_json::from_str(&body).unwrap())
}
