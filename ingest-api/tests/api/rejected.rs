//! Rejected alerts are counted, logged and stored.

mod keeping;
mod submitting;

use std::io::Write;
use std::sync::{Arc, Mutex};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;
use tarsy_testing::wait;

use crate::live::watcher::PATIENCE;
use crate::server::{IntoAnswer as _, Server, alert};

const REJECTED: &str = "/api/v1/admin/rejected-alerts";

const SOURCES: &str = "
webhooks:
  alertmanager: {}
  grafana: {secrets_env: [GRAFANA_SECRET]}
";

async fn server() -> Server {
    let source = Source::Text {
        name: "test".to_owned(),
        text: SOURCES.to_owned(),
    };
    let variables = [("OPENAI_API_KEY", "x"), ("GRAFANA_SECRET", "hush")];
    Server::configured_with(source, &variables).await
}

fn firing(fingerprint: &str, name: &str) -> Value {
    json!({"status": "firing", "fingerprint": fingerprint, "startsAt": "2026-11-20T08:24:38Z",
           "labels": {"alertname": name}, "annotations": {}})
}

/// Waits until this many rejections are stored. Returns them, newest first.
async fn kept(server: &Server, many: usize) -> Vec<Value> {
    wait::until("the rejections", PATIENCE, async || {
        let answer = server.get(&format!("{REJECTED}?limit=200")).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let rejections = answer.body["rejections"].as_array().unwrap().clone();
        (rejections.len() >= many).then_some(rejections)
    })
    .await
}

/// Returns how many alerts of a source were counted with this result.
async fn counted(server: &Server, source: &str, result: &str) -> u64 {
    let figures = server.get("/metrics").await.body;
    let name = format!("tarsy_webhook_alerts_total{{result=\"{result}\",source=\"{source}\"}} ");
    let mut lines = figures.as_str().unwrap().lines();
    let found = lines.find_map(|line| line.strip_prefix(&name));
    found.map_or(0, |count| count.parse().unwrap())
}

/// Log of this thread, on which the service of a test runs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn each_way_of_being_rejected_is_counted_logged_and_kept() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let server = server().await;

    let mut unknown = alert(json!({}));
    unknown["alert_type"] = json!("Nope");
    let large = format!("\"{}\"", "x".repeat(1024 * 1024));
    let some = json!({"alerts": [firing("good", "kubernetes"), firing("bad", "Nope")]}).to_string();
    let none = json!({"alerts": [firing("b1", "Nope"), firing("b2", "Nada")]}).to_string();
    let post = async |path: &str, body: String| {
        let request = server.post_raw(path, body);
        request
            .send()
            .await
            .unwrap()
            .into_answer()
            .await
            .status
            .as_u16()
    };
    for (path, body, status) in [
        ("/alerts", unknown.to_string(), 422),
        ("/alerts", "{,}".to_owned(), 400),
        ("/alerts", large, 413),
        ("/webhooks/nobody", "{}".to_owned(), 404),
        ("/webhooks/grafana", none.clone(), 401),
        ("/webhooks/alertmanager", none, 422),
        ("/webhooks/alertmanager", some, 202),
    ] {
        assert_eq!(post(path, body).await, status, "{path}");
    }
    assert_eq!(server.post("/alerts", &alert(json!({}))).await.status, 202);
    assert_eq!(server.post("/alerts", &alert(json!({}))).await.status, 202);

    let kept = kept(&server, 7).await;
    let results: Vec<_> = kept
        .iter()
        .rev()
        .map(|one| {
            let text = |name: &str| one[name].as_str().unwrap().to_owned();
            (
                text("source"),
                text("code"),
                one["status"].as_i64().unwrap(),
                one["is_proven"] == true,
            )
        })
        .collect();
    let expected = [
        ("alerts", "unknown_alert_type", 422, true),
        ("alerts", "malformed_json", 400, true),
        ("alerts", "body_too_large", 413, false),
        ("unknown", "unknown_webhook_source", 404, false),
        ("grafana", "signature_not_valid", 401, false),
        ("alertmanager", "unmappable_webhook", 422, true),
        ("alertmanager", "unknown_alert_type", 202, true),
    ];
    assert_eq!(
        results,
        expected.map(|(source, code, status, proven)| (
            source.to_owned(),
            code.to_owned(),
            status,
            proven
        ))
    );

    for (source, result, times) in [
        ("alerts", "unknown_alert_type", 1),
        ("alerts", "malformed_json", 1),
        ("alerts", "body_too_large", 1),
        ("alerts", "accepted", 1),
        ("alerts", "duplicate", 1),
        ("unknown", "unknown_webhook_source", 1),
        ("grafana", "signature_not_valid", 1),
        ("alertmanager", "unknown_alert_type", 3),
        ("alertmanager", "accepted", 1),
    ] {
        assert_eq!(
            counted(&server, source, result).await,
            times,
            "{source} {result}"
        );
    }
    let log = log.text();
    for expected in [
        "source=\"alertmanager\" alert.fingerprint=\"bad\"",
        "code=\"signature_not_valid\"",
        "no chain answers `Nada`",
    ] {
        let line = log.lines().find(|line| line.contains(expected));
        assert!(
            line.is_some_and(|line| line.contains("WARN")),
            "{expected} in\n{log}"
        );
    }

    let by = async |query: &str| {
        let answer = server.get(&format!("{REJECTED}?{query}")).await;
        answer.body["rejections"].as_array().unwrap().len()
    };
    assert_eq!(by("fingerprint=bad").await, 1);
    assert_eq!(by("fingerprint=good").await, 0);
    assert_eq!(by("source=alertmanager").await, 2);
    assert_eq!(by("code=unknown_alert_type").await, 3);
    let id = kept[0]["rejection_id"].as_str().unwrap();
    let shown = server.get(&format!("{REJECTED}/{id}")).await.body;
    assert!(
        shown["body"].as_str().unwrap().contains("\"good\""),
        "{shown}"
    );
    assert_eq!(
        (&shown["is_whole"], &shown["content_type"]),
        (&json!(true), &json!("application/json"))
    );
}
