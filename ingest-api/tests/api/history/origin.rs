//! The duplicates of a session, and the request that created it.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::SESSIONS;
use crate::server::{Server, alert};

/// Returns the payload of a monitoring system with alerts of these names.
fn payload(names: &[&str], severity: &str) -> Value {
    let alerts = names.iter().map(|name| {
        json!({ "status": "firing", "labels": { "alertname": "kubernetes", "severity": severity, "name": name },
                "annotations": {}, "startsAt": "2026-11-20T08:00:00Z", "endsAt": "0001-01-01T00:00:00Z", "fingerprint": name })
    });
    json!({ "version": "4", "groupKey": "{}", "receiver": "tarsy", "status": "firing", "alerts": alerts.collect::<Vec<_>>() })
}

async fn numbers(server: &Server, session: &str) -> (i64, Vec<i64>) {
    let body = server
        .get(&format!("{SESSIONS}/{session}/duplicates"))
        .await
        .body;
    let numbers = body["duplicates"].as_array().unwrap().iter();
    (
        body["duplicate_count"].as_i64().unwrap(),
        numbers.map(|d| d["number"].as_i64().unwrap()).collect(),
    )
}

#[tokio::test]
async fn the_alerts_that_were_counted_on_a_session_are_listed_newest_first() {
    let server = Server::start().await;
    let first = server
        .post("/webhooks/alertmanager", &payload(&["a"], "warning"))
        .await;
    let session = first.body["results"][0]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(numbers(&server, &session).await, (0, vec![]));
    for severity in ["warning", "critical"] {
        server
            .post("/webhooks/alertmanager", &payload(&["a"], severity))
            .await;
    }
    let body = server
        .get(&format!("{SESSIONS}/{session}/duplicates"))
        .await
        .body;
    assert_eq!(body["duplicate_count"], 2);
    let duplicates: Vec<_> = body["duplicates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            (
                d["number"].as_i64().unwrap(),
                d["severity"].as_str().unwrap(),
                d["source"].as_str().unwrap(),
                d["status"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        duplicates,
        [
            (2, "critical", "alertmanager", Some("firing")),
            (1, "warning", "alertmanager", Some("firing"))
        ]
    );
    assert_eq!(
        body["duplicates"][0]["alert_timestamp_us"],
        1_795_161_600_000_000_i64
    );

    let own = server
        .post("/alerts", &alert(json!({ "namespace": "b" })))
        .await;
    server
        .post("/alerts", &alert(json!({ "namespace": "b" })))
        .await;
    let own = own.body["session_id"].as_str().unwrap();
    let body = server
        .get(&format!("{SESSIONS}/{own}/duplicates"))
        .await
        .body;
    assert_eq!(
        body["duplicates"][0]["status"],
        Value::Null,
        "nobody said so"
    );
}

#[tokio::test]
async fn of_a_source_that_repeats_itself_the_newest_hundred_are_kept_and_all_are_counted() {
    let server = Server::start().await;
    let names = ["a"; 60];
    let first = server
        .post("/webhooks/alertmanager", &payload(&names, "warning"))
        .await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "{first:?}");
    let session = first.body["results"][0]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    for _ in 0..2 {
        server
            .post("/webhooks/alertmanager", &payload(&names, "warning"))
            .await;
    }
    let (count, kept) = numbers(&server, &session).await;
    assert_eq!(count, 179);
    assert_eq!(kept, (80..=179).rev().collect::<Vec<_>>());
    sqlx::query("delete from alert_sessions")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        server.count("session_duplicates").await,
        0,
        "they go with their session"
    );
}

#[tokio::test]
async fn the_request_is_shown_as_it_came_with_the_first_session_of_its_delivery() {
    let server = Server::start().await;
    let text = format!(" {}\n", payload(&["a", "b"], "warning"));
    let sent = server
        .post_raw("/webhooks/alertmanager", text.clone())
        .header("user-agent", "Alertmanager/0.28")
        .send()
        .await
        .unwrap();
    let results: Value = sent.json().await.unwrap();
    let path = |at: usize| {
        format!(
            "{SESSIONS}/{}/request",
            results["results"][at]["session_id"].as_str().unwrap()
        )
    };
    let body = server.get(&path(0)).await.body;
    assert_eq!(body["request"]["body"], text);
    assert_eq!(body["request"]["size"], text.len());
    assert_eq!(
        body["request"]["headers"],
        json!({ "content-type": "application/json", "user-agent": "Alertmanager/0.28" })
    );
    assert_eq!(server.get(&path(1)).await.body, json!({ "request": null }));
    for what in ["request", "duplicates"] {
        let unknown = server
            .get(&format!(
                "{SESSIONS}/00000000-0000-7000-8000-000000000000/{what}"
            ))
            .await;
        assert_eq!(
            (unknown.status, &unknown.body["code"]),
            (StatusCode::NOT_FOUND, &json!("session_not_found"))
        );
    }
}
