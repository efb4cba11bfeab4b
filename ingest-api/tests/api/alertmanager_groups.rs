//! Alertmanager sources with one session per group: how groups end, and invalid alerts.

use reqwest::StatusCode;
use serde_json::{Value, json};

use tarsy_testing::wait;

use crate::alertmanager::{Alertmanager, SOON, resolved};
use crate::server::Server;

const GROUPED: &str = "
webhooks:
  alertmanager:
    group_alerts: true
    alert_type:
      labels: [alertname]
      values: {KubeNamespaceStuck: NamespaceTerminating}
";

const PATH: &str = "/webhooks/alertmanager";

fn alert(fingerprint: &str, status: &str, day: u8) -> Value {
    json!({
        "status": status, "fingerprint": fingerprint, "startsAt": format!("2026-11-{day}T08:00:00Z"), "endsAt": "0001-01-01T00:00:00Z",
        "labels": {"alertname": "KubeNamespaceStuck", "namespace": fingerprint, "severity": "high"},
        "annotations": {},
    })
}

/// Sends a payload and returns its results.
async fn send(server: &Server, key: &str, alerts: &[Value]) -> Vec<Value> {
    let payload = json!({"version": "4", "groupKey": key, "receiver": "tarsy", "alerts": alerts});
    let answer = server.post(PATH, &payload).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    answer.body["results"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_group_is_over_when_its_last_alert_is_whichever_that_is() {
    let server = Server::configured(GROUPED).await;
    let (older, newer) = (alert("a", "firing", 20), alert("b", "firing", 21));
    let first = send(&server, "g", &[older.clone(), newer]).await;
    let partly = send(&server, "g", &[older, alert("b", "resolved", 21)]).await;
    assert_eq!(partly[0]["status"], "duplicate");
    let over = send(&server, "g", &[alert("a", "resolved", 20)]).await;
    assert_eq!(
        (&over[0]["status"], &over[0]["session_id"]),
        (&json!("resolved"), &first[0]["session_id"])
    );
    let noted = sqlx::query("select 1 from alert_sessions where resolved_at_us is not null");
    assert!(noted.fetch_optional(server.db()).await.unwrap().is_some());
    let unknown = send(&server, "h", &[alert("b", "resolved", 20)]).await;
    assert_eq!(unknown[0]["status"], "unknown");
}

#[tokio::test]
async fn an_alert_that_can_not_be_read_is_rejected_without_its_group() {
    let server = Server::configured(GROUPED).await;
    let mut broken = alert("a", "firing", 20);
    broken["startsAt"] = json!("yesterday");
    let mut odd = alert("c", "firing", 20);
    odd["status"] = json!("flapping");
    let alerts = [broken, alert("b", "firing", 20), odd];
    let results = send(&server, "g", &alerts).await;
    let became: Vec<_> = results
        .iter()
        .map(|result| (&result["fingerprint"], &result["status"]))
        .collect();
    assert_eq!(
        became,
        [
            (&json!("a"), &json!("rejected")),
            (&json!("c"), &json!("rejected")),
            (&json!("g"), &json!("queued")),
        ]
    );
}

#[tokio::test]
async fn a_name_that_postgres_can_not_keep_is_rejected_and_kept_as_such() {
    let server = Server::configured(GROUPED).await;
    let payload =
        json!({"version": "4", "groupKey": "g\u{0}", "alerts": [alert("a", "firing", 20)]});
    let answer = server.post(PATH, &payload).await;
    assert_eq!(
        answer.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{answer:?}"
    );
    wait::until("the rejection", SOON, async || {
        server.count("rejected_alerts").await == 1
    })
    .await;
}

#[tokio::test]
async fn a_real_alertmanager_s_group_is_one_session_and_is_suppressed_when_it_comes_again() {
    let config = "
webhooks:
  alertmanager: {group_alerts: true}
agent_chains:
  disks:
    alert_types: [DiskFull]
    suppress: {cooldown: 1h}
    stages:
      - {name: analysis, agent: KubernetesAgent}
";
    let server = Server::configured(config).await;
    let alertmanager = Alertmanager::before(&server);
    let disks = |times: Value| -> Value {
        let disk = |name: &str| {
            let mut alert = json!({"labels": {"alertname": "DiskFull", "disk": name}});
            for (key, value) in times.as_object().unwrap() {
                alert[key] = value.clone();
            }
            alert
        };
        ["sda", "sdb"].into_iter().map(disk).collect()
    };
    alertmanager.post(&server, &disks(json!({}))).await;
    wait::until("the group's session", SOON, async || {
        server.count("alert_sessions").await == 1
    })
    .await;
    let end = "update alert_sessions set status = 'completed', completed_at_us = now_us() returning alert_data";
    let data: Value = sqlx::query_scalar(end)
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(data["alert_count"], 2, "{data}");

    let past =
        json!({"startsAt": data["alerts"][0]["startsAt"], "endsAt": data["alerts"][0]["startsAt"]});
    alertmanager.post(&server, &disks(past)).await;
    resolved(&server, 1).await;
    alertmanager.post(&server, &disks(json!({}))).await;
    wait::until("the group to be suppressed", SOON, async || {
        let figures = server.get("/metrics").await.body;
        let suppressed =
            r#"tarsy_webhook_alerts_total{result="suppressed",source="alertmanager"} 1"#;
        figures.as_str().unwrap().contains(suppressed)
    })
    .await;
    assert_eq!(server.count("alert_sessions").await, 1);
}
