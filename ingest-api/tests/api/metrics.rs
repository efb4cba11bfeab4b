//! `GET /metrics`, by direct requests and by a real Prometheus.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_model::Role;
use tarsy_testing::process::Program;
use tarsy_testing::{tools, wait};

use crate::server::{Server, alert};

/// Trace id of every request of this process.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Returns the metrics as text.
async fn figures(server: &Server) -> String {
    let answer = server.get("/metrics").await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(answer.content_type.starts_with("text/plain"));
    answer.body.as_str().unwrap().to_owned()
}

fn value(figures: &str, name: &str) -> Option<f64> {
    let line = figures
        .lines()
        .find(|line| line.rsplit_once(' ').is_some_and(|(left, _)| left == name))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

#[tokio::test]
async fn the_metrics_count_what_waits_and_what_was_done() {
    let server = Server::start().await;
    server.post("/alerts", &alert(json!({"n": 1}))).await;
    server.get("/nowhere").await;
    sqlx::query(
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity,
             alert_timestamp_us, source, fingerprint, status, outcome, completed_at_us, chain_id, chain_definition)
         select gen_random_uuid(), gen_random_uuid(), 't', '{}', 'warning', 1, 'api', 'f' || n, 'completed',
             'partial', now_us() - n * 400000000, 'c', '{}' from generate_series(0, 3) n",
    )
    .execute(server.db())
    .await
    .unwrap();
    let text = figures(&server).await;
    for (name, expected) in [
        ("tarsy_database_up", 1.0),
        ("tarsy_sessions_live{status=\"pending\"}", 1.0),
        ("tarsy_queue_jobs{queue=\"chain\",state=\"ready\"}", 1.0),
        ("tarsy_queue_paused{queue=\"chain\"}", 0.0),
        (
            "tarsy_sessions_ended_last_5m{outcome=\"partial\",status=\"completed\"}",
            1.0,
        ),
        ("tarsy_intake_group_size_count", 1.0),
        ("tarsy_http_requests_in_flight", 1.0),
        (
            "tarsy_http_requests_total{method=\"POST\",route=\"/alerts\",status=\"202\"}",
            1.0,
        ),
        (
            "tarsy_http_requests_total{method=\"GET\",route=\"-\",status=\"404\"}",
            1.0,
        ),
        (
            "tarsy_http_request_duration_seconds_count{method=\"POST\",route=\"/alerts\"}",
            1.0,
        ),
    ] {
        assert_eq!(value(&text, name), Some(expected), "{name} in\n{text}");
    }
}

#[tokio::test]
async fn a_real_prometheus_scrapes_with_a_key() {
    tarsy_metrics::trace_id_by(|| Some(TRACE.to_owned()));
    let program = tools::expect("prometheus");
    let server = Server::guarded(&[]).await;
    let key = server.key("prometheus", Role::Viewer).await;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("prometheus.yml");
    let target = server.address;
    std::fs::write(
        &config,
        format!(
            "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\n\
             scrape_configs:\n\
             - {{job_name: tarsy, authorization: {{credentials: {key}}}, static_configs: [{{targets: ['{target}']}}]}}\n"
        ),
    )
    .unwrap();
    let address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let _prometheus = Program::at("prometheus", program)
        .arg(format!("--config.file={}", config.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            folder.path().join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .arg("--enable-feature=exemplar-storage")
        .start()
        .unwrap();
    let ask = async |query: &str| -> Option<String> {
        let mut url: url::Url = format!("http://{address}/api/v1/query").parse().unwrap();
        url.query_pairs_mut().append_pair("query", query);
        let request = server.client.get(url);
        let answer: Value = request.send().await.ok()?.json().await.ok()?;
        let value = answer.pointer("/data/result/0/value/1")?;
        value.as_str().map(str::to_owned)
    };
    let patience = Duration::from_secs(60);
    wait::until("the target to be up", patience, async || {
        ask("up{job=\"tarsy\"}").await.as_deref() == Some("1")
    })
    .await;
    wait::until("a figure of ours", patience, async || {
        ask("tarsy_database_up").await.as_deref() == Some("1")
    })
    .await;
    wait::until("an exemplar", patience, async || {
        let mut url: url::Url = format!("http://{address}/api/v1/query_exemplars")
            .parse()
            .ok()?;
        url.query_pairs_mut()
            .append_pair("query", "tarsy_http_request_duration_seconds_bucket")
            .append_pair("start", "0")
            .append_pair("end", "99999999999");
        let answer: Value = server
            .client
            .get(url)
            .send()
            .await
            .ok()?
            .json()
            .await
            .ok()?;
        let exemplar = answer.pointer("/data/0/exemplars/0/labels/trace_id")?;
        (exemplar == TRACE).then_some(())
    })
    .await;
    wait::until("a scrape to be counted", patience, async || {
        ask("tarsy_http_requests_total{route=\"/metrics\",status=\"200\"}")
            .await
            .is_some()
    })
    .await;
}
