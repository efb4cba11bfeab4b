//! `POST /webhooks/alertmanager` with handmade payloads, and from a real Alertmanager.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::Row as _;
use tarsy_testing::process::{Process, Program};
use tarsy_testing::{tools, wait};

use crate::server::Server;

const MAPPED: &str = "
webhooks:
  alertmanager:
    alert_type:
      labels: [alertname]
      values:
        KubeNamespaceStuck: NamespaceTerminating
";

fn one(fingerprint: &str, status: &str, labels: Value) -> Value {
    json!({
        "status": status, "labels": labels, "fingerprint": fingerprint,
        "annotations": {"summary": "a <b> \"c\"\nd", "runbook_url": "https://github.com/example/runbooks/blob/main/ns.md"},
        "startsAt": "2026-11-20T08:24:38.326123+02:00",
        "endsAt": if status == "firing" { "0001-01-01T00:00:00Z" } else { "2026-11-20T06:30:00Z" },
        "generatorURL": "http://prometheus.example/graph?g0.expr=up",
    })
}

fn payload(alerts: &[Value]) -> Value {
    json!({
        "version": "4", "groupKey": "{}:{alertname=\"KubeNamespaceStuck\"}", "truncatedAlerts": 0, "status": "firing",
        "receiver": "tarsy", "groupLabels": {"alertname": "KubeNamespaceStuck"}, "commonLabels": {}, "commonAnnotations": {},
        "externalURL": "http://alertmanager.example", "notificationReason": "a member of a newer version", "alerts": alerts,
    })
}

fn stuck(namespace: &str) -> Value {
    json!({"alertname": "KubeNamespaceStuck", "namespace": namespace, "severity": "critical", "env": "staging"})
}

const PATH: &str = "/webhooks/alertmanager";

#[tokio::test]
async fn each_firing_alert_is_a_session_of_its_own() {
    let server = Server::configured(MAPPED).await;
    let sent = payload(&[
        one("a1", "firing", stuck("team-a")),
        one("b2", "firing", stuck("team-b")),
    ]);
    let answer = server.post(PATH, &sent).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let outcomes: Vec<_> = answer.body["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (&r["fingerprint"], &r["status"]))
        .collect();
    assert_eq!(
        outcomes,
        [
            (&json!("a1"), &json!("queued")),
            (&json!("b2"), &json!("queued"))
        ]
    );
    assert_eq!(server.count("jobs").await, 2);
    let row = sqlx::query(
        "select * from alert_sessions where alert_data #>> '{labels,namespace}' = 'team-a'",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    let text = |column: &str| row.get::<String, _>(column);
    assert_eq!(
        [
            text("alert_type"),
            text("severity"),
            text("source"),
            text("runbook_url")
        ],
        [
            "NamespaceTerminating",
            "critical",
            "alertmanager",
            "https://github.com/example/runbooks/blob/main/ns.md"
        ]
    );
    assert_eq!(
        row.get::<i64, _>("alert_timestamp_us"),
        1_795_155_878_326_123
    );
    let data: Value = row.get("alert_data");
    assert_eq!(data["annotations"]["summary"], "a <b> \"c\"\nd");
    assert_eq!(data["environment"], "staging");
    assert_eq!(
        data["alertmanager"]["groupLabels"]["alertname"],
        "KubeNamespaceStuck"
    );
}

#[tokio::test]
async fn an_occurrence_is_one_session_however_often_it_is_sent() {
    let server = Server::configured(MAPPED).await;
    let sent = payload(&[one("a1", "firing", stuck("team-a"))]);
    let first = server.post(PATH, &sent).await.body["results"][0].clone();
    let again = server.post(PATH, &sent).await.body["results"][0].clone();
    assert_eq!(
        (&again["status"], &again["session_id"]),
        (&json!("duplicate"), &first["session_id"])
    );

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    let repeated = server.post(PATH, &sent).await.body["results"][0].clone();
    assert_eq!(
        (&repeated["status"], &repeated["session_id"]),
        (&json!("duplicate"), &first["session_id"])
    );
    assert_eq!(server.count("alert_sessions").await, 1);

    let mut later = one("a1", "firing", stuck("team-a"));
    later["startsAt"] = json!("2026-11-21T08:24:38Z");
    assert_eq!(
        server.post(PATH, &payload(&[later])).await.body["results"][0]["status"],
        "queued"
    );
}

#[tokio::test]
async fn a_resolved_alert_is_noted_on_its_session() {
    let server = Server::configured(MAPPED).await;
    let session = server
        .post(PATH, &payload(&[one("a1", "firing", stuck("a"))]))
        .await
        .body["results"][0]["session_id"]
        .clone();
    let sent = payload(&[
        one("a1", "resolved", stuck("a")),
        one("never-seen", "resolved", stuck("z")),
    ]);
    let results = server.post(PATH, &sent).await.body["results"].clone();
    assert_eq!(
        (&results[0]["status"], &results[0]["session_id"]),
        (&json!("resolved"), &session)
    );
    assert_eq!(results[1]["status"], "unknown");
    let resolved: i64 = sqlx::query_scalar("select resolved_at_us from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(resolved, 1_795_156_200_000_000);
    assert_eq!(server.count("jobs").await, 1);
}

#[tokio::test]
async fn an_alert_that_can_not_be_used_does_not_hold_up_the_others() {
    let server = Server::configured(MAPPED).await;
    let unmapped = one("x", "firing", json!({"alertname": "Watchdog"}));
    let mut nul = one("y", "firing", stuck("y"));
    nul["annotations"]["summary"] = json!("\0");
    let sent = payload(&[
        unmapped.clone(),
        nul,
        json!({"status": "firing"}),
        one("a1", "firing", stuck("a")),
    ]);
    let answer = server.post(PATH, &sent).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    let results = answer.body["results"].as_array().unwrap().clone();
    let problem = |index: usize| results[index]["problem"].clone();
    assert_eq!(problem(0)["code"], "unknown_alert_type");
    assert_eq!(problem(1)["errors"][0]["field"], "data.annotations.summary");
    assert_eq!(problem(2)["errors"][0]["field"], "alerts[2]");
    assert_eq!(results[3]["status"], "queued");
    assert_eq!(server.count("alert_sessions").await, 1);

    let none = server.post(PATH, &payload(&[unmapped])).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    insta::assert_json_snapshot!(none.body, @r#"
    {
      "type": "urn:tarsy:problem:unmappable_webhook",
      "title": "No valid alert in the webhook",
      "status": 422,
      "code": "unmappable_webhook",
      "detail": "the payload contains no valid alert; see `results` for each reason",
      "results": [
        {
          "fingerprint": "x",
          "status": "rejected",
          "problem": {
            "type": "urn:tarsy:problem:unknown_alert_type",
            "title": "Unknown alert type",
            "status": 422,
            "code": "unknown_alert_type",
            "detail": "no chain answers `Watchdog`; known: NamespaceTerminating, kubernetes",
            "errors": [
              {
                "field": "alert_type",
                "detail": "is not a known alert type"
              }
            ],
            "known_alert_types": [
              "NamespaceTerminating",
              "kubernetes"
            ]
          }
        }
      ]
    }
    "#);
    assert_eq!(
        server.post(PATH, &payload(&[])).await.status,
        StatusCode::ACCEPTED
    );
}

#[tokio::test]
async fn a_payload_that_is_none_and_a_source_that_is_none() {
    let server = Server::start().await;
    let bad = server.post(PATH, &json!({"hello": 1})).await;
    assert_eq!(
        (bad.status.as_u16(), &bad.body["errors"][0]["field"]),
        (422, &json!("alerts"))
    );
    let unknown = server.post("/webhooks/pager", &json!({})).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(unknown.body["known_sources"], json!(["alertmanager"]));
}

/// A real Alertmanager that notifies the service.
pub(crate) struct Alertmanager {
    address: std::net::SocketAddr,
    _process: Process,
    _folder: tempfile::TempDir,
}

impl Alertmanager {
    pub(crate) fn before(server: &Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("alertmanager.yml");
        let receiver = server.url(PATH);
        std::fs::write(
            &config,
            format!(
                "route: {{receiver: tarsy, group_by: [alertname], group_wait: 10ms, group_interval: 100ms, repeat_interval: 1h}}\n\
                 receivers: [{{name: tarsy, webhook_configs: [{{url: '{receiver}', send_resolved: true}}]}}]\n"
            ),
        )
        .unwrap();
        let address = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let process = Program::at("alertmanager", tools::expect("prometheus-alertmanager"))
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.path={}", folder.path().display()))
            .arg(format!("--web.listen-address={address}"))
            .arg("--cluster.listen-address=")
            .start()
            .unwrap();
        Self {
            address,
            _process: process,
            _folder: folder,
        }
    }

    /// Sends alerts to it, once it is up.
    pub(crate) async fn post(&self, server: &Server, alerts: &Value) {
        let url = format!("http://{}/api/v2/alerts", self.address);
        wait::until("alertmanager to take alerts", SOON, async || {
            let sent = server.client.post(&url).json(alerts).send().await;
            sent.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    }
}

/// Longest wait for actions of Alertmanager.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// Waits until this many sessions are marked as resolved.
pub(crate) async fn resolved(server: &Server, many: i64) {
    wait::until("alerts to be noted as over", SOON, async || {
        let over = "select count(*) from alert_sessions where resolved_at_us is not null";
        let over: i64 = sqlx::query_scalar(over)
            .fetch_one(server.db())
            .await
            .unwrap();
        over == many
    })
    .await;
}

#[tokio::test]
async fn a_real_alertmanager_delivers_and_resolves() {
    let server = Server::configured(MAPPED).await;
    let alertmanager = Alertmanager::before(&server);
    let labels =
        json!({"alertname": "KubeNamespaceStuck", "namespace": "team-a", "severity": "critical"});
    let firing = json!({"labels": labels, "annotations": {"summary": "stuck for 10 minutes"}});
    alertmanager.post(&server, &json!([firing])).await;
    wait::until("its session", Duration::from_secs(30), async || {
        server.count("jobs").await == 1
    })
    .await;
    let row = sqlx::query("select alert_type, alert_data from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(row.get::<String, _>("alert_type"), "NamespaceTerminating");
    assert_eq!(
        row.get::<Value, _>("alert_data")["annotations"]["summary"],
        "stuck for 10 minutes"
    );

    let starts = row.get::<Value, _>("alert_data")["startsAt"].clone();
    let over = json!({"labels": labels, "startsAt": starts, "endsAt": starts});
    alertmanager.post(&server, &json!([over])).await;
    resolved(&server, 1).await;
    assert_eq!(server.count("alert_sessions").await, 1);
}

#[tokio::test]
async fn a_group_is_one_session_where_that_is_configured() {
    let server = Server::configured(&format!("{MAPPED}    group_alerts: true\n")).await;
    let mut mild = one("a1", "firing", stuck("team-a"));
    mild["labels"]["severity"] = json!("warning");
    let (severe, mut later) = (
        one("b2", "firing", stuck("team-b")),
        one("c3", "firing", stuck("team-c")),
    );
    later["startsAt"] = json!("2026-11-20T09:00:00Z");
    let send = async |alerts: &[Value]| {
        let answer = server.post(PATH, &payload(alerts)).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
        let results = answer.body["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), 1, "one of the group");
        assert_eq!(
            results[0]["fingerprint"],
            "{}:{alertname=\"KubeNamespaceStuck\"}"
        );
        results[0]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(send(&[mild.clone(), severe.clone()]).await, "queued");
    assert_eq!(send(&[mild.clone(), severe.clone()]).await, "duplicate");
    let all = [mild.clone(), severe.clone(), later.clone()];
    assert_eq!(send(&all).await, "duplicate", "its session runs");
    let (data, severity): (Value, String) =
        sqlx::query_as("select alert_data, severity from alert_sessions")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(severity, "critical", "that of the most severe");
    let namespaces: Vec<_> = data["alerts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|alert| &alert["labels"]["namespace"])
        .collect();
    assert_eq!(namespaces, ["team-b", "team-a"]);
    assert_eq!(data["alert_count"], 2);

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(send(&[mild, severe]).await, "duplicate", "nothing is new");
    assert_eq!(send(&all).await, "queued", "an alert has joined the group");
    let mut over = later;
    over["status"] = json!("resolved");
    over["endsAt"] = json!("2026-11-20T10:00:00Z");
    assert_eq!(send(&[over]).await, "resolved");
    let unnamed = json!({"version": "4", "status": "firing", "alerts": []});
    let refused = server.post(PATH, &unnamed).await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{refused:?}"
    );
}
