//! A hanging reader of a process's log does not stop the process.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Stdio;

use futures::StreamExt as _;
use reqwest::StatusCode;
use serde_json::json;
use tarsy_testing::process::binary;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, ops, scene};

/// Number of alerts that log more lines than a pipe (64 KiB, pipe(7)) and the queue of lines can hold together.
const ALERTS: usize = 3_000;
/// Number of concurrent requests.
const AT_ONCE: usize = 32;

#[tokio::test(flavor = "multi_thread")]
async fn a_process_whose_log_is_not_read_answers_and_counts_the_lines_that_it_drops() {
    let fleet = Fleet::new(scene::play).await;
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let mut api = tokio::process::Command::new(binary("ingest-api"));
    api.envs(fleet.environment())
        .env("TARSY_LISTEN", address.to_string())
        .env("RUST_LOG", "trace")
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // The pipe is kept open, and never read.
    let _api = api.spawn().unwrap();
    let url = format!("http://{address}");
    let dropped = async || {
        let scrape = ops::get(&url, "/metrics").await?.1;
        let line = scrape
            .lines()
            .find_map(|line| line.strip_prefix("tarsy_log_lines_dropped_total "))?;
        line.parse::<f64>().ok().filter(|dropped| *dropped > 0.0)
    };
    wait::until("the API to listen", SOON, async || {
        ops::get(&url, "/livez").await
    })
    .await;
    let client = reqwest::Client::new();
    let accepted = futures::stream::iter(0..ALERTS)
        .map(|n| {
            let alert = json!({"alert_type": "CheckoutDown", "data": {"n": n}});
            client.post(format!("{url}/alerts")).json(&alert).send()
        })
        .buffer_unordered(AT_ONCE)
        .filter(|answer| {
            let status = answer.as_ref().map(|answer| answer.status());
            std::future::ready(status.is_ok_and(|status| status == StatusCode::ACCEPTED))
        })
        .count()
        .await;
    assert_eq!(accepted, ALERTS);
    let (status, _) = ops::get(&url, "/livez").await.unwrap();
    assert_eq!(status, StatusCode::OK);
    wait::until("dropped lines to be counted", SOON, dropped).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_step_of_a_session_is_logged_with_its_id() {
    let fleet = Fleet::new(scene::play).await;
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "ReportOnly").await;
    fleet.rows.ended(session, SOON).await;
    for (process, step) in [
        (&ingest.process, "alert accepted"),
        (&stage, "stage ended"),
        (&chain, "session ended"),
    ] {
        let line = process.printed(step, SOON).await;
        assert!(line.contains(&session.to_string()), "{line}");
        assert!(line.contains(" INFO "), "{line}");
    }
}
