//! Chains that do not investigate repeated alerts again (`suppress`).

use std::time::Duration;

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tarsy_model::{SessionId, Suppression};
use tarsy_store::new_session::{NewSession, Suppressible};
use tarsy_store::sessions::Accepted;
use tarsy_store::suppression::insert_unless_suppressed;
use tarsy_testing::wait;
use uuid::Uuid;

use crate::server::{IntoAnswer as _, Server};

const HOUR_US: i64 = 3_600_000_000;

fn config(suppress: &str) -> String {
    format!(
        "
agent_chains:
  disks:
    alert_types: [DiskFull]
    suppress: {suppress}
    stages:
      - {{name: analysis, agent: KubernetesAgent}}
"
    )
}

fn disk(fingerprint: Option<&str>) -> Value {
    json!({
        "alert_type": "DiskFull", "runbook": "https://github.com/example/runbooks/blob/main/disk.md", "fingerprint": fingerprint,
        "data": {"disk": "sda"},
    })
}

async fn submit(server: &Server, fingerprint: &str) -> Value {
    let answer = server.post("/alerts", &disk(Some(fingerprint))).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    answer.body
}

async fn run(server: &Server, statement: &str) {
    sqlx::query(sqlx::AssertSqlSafe(statement.to_owned()))
        .execute(server.db())
        .await
        .unwrap();
}

/// Ends the live session.
async fn end(server: &Server, status: &str) {
    let end = format!(
        "update alert_sessions set status = '{status}', completed_at_us = now_us() where completed_at_us is null"
    );
    run(server, &end).await;
}

/// Simulates the passing of time by moving all stored times back.
async fn pass(server: &Server, us: i64) {
    run(server, &format!("update alert_sessions set started_at_us = started_at_us - {us}, completed_at_us = completed_at_us - {us}")).await;
    run(
        server,
        &format!(
            "update alert_occurrences set seen_us = array(select s - {us} from unnest(seen_us) s)"
        ),
    )
    .await;
}

#[tokio::test]
async fn an_alert_is_investigated_again_after_the_cooldown_of_its_chain() {
    let server = Server::configured(&config("{cooldown: 1h}")).await;
    let first = submit(&server, "sda").await;
    assert_eq!(first["status"], "queued");
    assert_eq!(
        submit(&server, "sda").await["status"],
        "duplicate",
        "it runs"
    );
    end(&server, "completed").await;

    let again = submit(&server, "sda").await;
    assert_eq!(again["status"], "suppressed");
    assert_eq!(again["session_id"], first["session_id"]);
    assert_eq!(again["alert_id"], first["alert_id"]);
    let foreseen = server
        .post("/alerts/dry-run", &disk(Some("sda")))
        .await
        .body;
    assert_eq!(foreseen["duplicate_of"]["session_id"], first["session_id"]);
    assert_eq!(foreseen["duplicate_of"]["lasts"], "until_the_cooldown_ends");
    assert_eq!(
        submit(&server, "sdb").await["status"],
        "queued",
        "another disk"
    );
    let by_hand = server.post("/alerts", &disk(None)).await.body;
    assert_eq!(
        by_hand["status"], "queued",
        "it names no trouble: somebody wants it"
    );
    assert_eq!(server.count("alert_sessions").await, 3);
    assert_eq!(server.count("jobs").await, 3);

    let path = format!(
        "/api/v1/history/sessions/{}",
        first["session_id"].as_str().unwrap()
    );
    let detail = server.get(&path).await.body;
    assert_eq!(detail["duplicate_count"], 2, "{detail}");

    end(&server, "completed").await;
    let by_hand = server.post("/alerts", &disk(None)).await.body;
    assert_eq!(by_hand["status"], "queued", "however often");
    end(&server, "completed").await;
    pass(&server, HOUR_US).await;
    let later = submit(&server, "sda").await;
    assert_eq!(later["status"], "queued");
    assert_ne!(later["session_id"], first["session_id"]);
    end(&server, "completed").await;
    let newest = submit(&server, "sda").await;
    assert_eq!(
        newest["session_id"], later["session_id"],
        "the newest stands for it"
    );
}

#[tokio::test]
async fn after_a_failure_nothing_is_suppressed() {
    let server =
        Server::configured(&config("{cooldown: 1h, flapping: {times: 2, within: 1h}}")).await;
    for status in ["failed", "cancelled", "failed"] {
        assert_eq!(submit(&server, "sda").await["status"], "queued");
        end(&server, status).await;
    }
    assert_eq!(submit(&server, "sda").await["status"], "queued");
}

#[tokio::test]
async fn a_flapping_alert_is_investigated_again_after_a_quiet_time() {
    let server = Server::configured(&config("{flapping: {times: 3, within: 1h}}")).await;
    for _ in 0..2 {
        assert_eq!(submit(&server, "sda").await["status"], "queued");
        end(&server, "completed").await;
        pass(&server, HOUR_US / 12).await;
    }
    let foreseen = server
        .post("/alerts/dry-run", &disk(Some("sda")))
        .await
        .body;
    assert_eq!(foreseen["duplicate_of"]["lasts"], "while_it_is_flapping");
    for _ in 0..4 {
        assert_eq!(submit(&server, "sda").await["status"], "suppressed");
        pass(&server, HOUR_US / 4).await;
    }
    pass(&server, HOUR_US / 2).await;
    assert_eq!(submit(&server, "sda").await["status"], "queued");
}

#[tokio::test]
async fn an_occurrence_that_is_sent_again_is_not_counted_twice() {
    let server = Server::configured(&config("{flapping: {times: 2, within: 1h}}")).await;
    let send = async |key: &str| {
        let request = server
            .post_raw("/alerts", disk(Some("sda")).to_string())
            .header("idempotency-key", key);
        request.send().await.unwrap().into_answer().await.body["status"].clone()
    };
    assert_eq!(send("a").await, "queued");
    end(&server, "completed").await;
    for _ in 0..3 {
        assert_eq!(send("a").await, "duplicate");
    }
    assert_eq!(send("b").await, "suppressed");
    pass(&server, HOUR_US).await;
    assert_eq!(
        send("b").await,
        "queued",
        "it still fires, and has not come again"
    );
}

#[tokio::test]
async fn of_many_at_once_one_makes_the_session() {
    let server = Server::configured(&config("{cooldown: 1h}")).await;
    for round in 0..5 {
        let fingerprint = format!("disk-{round}");
        let sent = join_all((0..12).map(|_| submit(&server, &fingerprint))).await;
        let queued = sent.iter().filter(|answer| answer["status"] == "queued");
        assert_eq!(queued.count(), 1, "{sent:?}");
        end(&server, "completed").await;
        let sent = join_all((0..12).map(|_| submit(&server, &fingerprint))).await;
        assert!(
            sent.iter().all(|answer| answer["status"] == "suppressed"),
            "{sent:?}"
        );
    }
    assert_eq!(server.count("alert_sessions").await, 5);
}

/// Creates the session of an occurrence.
fn occurrence(key: &str) -> NewSession {
    let chain = json!({"chain_id": "disks", "alert_types": ["DiskFull"], "stages": [{"name": "analysis", "agent": "A"}]});
    NewSession {
        session_id: SessionId::generate(),
        alert_id: Uuid::now_v7(),
        alert_type: "DiskFull".to_owned(),
        data: to_raw_value(&json!({})).unwrap(),
        severity: "warning".to_owned(),
        alert_timestamp_us: None,
        source: "alertmanager".to_owned(),
        author: None,
        fingerprint: key.to_owned(),
        idempotency_key: Some(key.to_owned()),
        chain_id: "disks".to_owned(),
        chain_definition: to_raw_value(&chain).unwrap(),
        runbook_url: None,
        traceparent: None,
        suppressible: Some(Suppressible {
            subject: "alertmanager:f1".to_owned(),
            rule: Suppression {
                cooldown: Some(Duration::from_hours(1)),
                flapping: None,
            },
        }),
    }
}

#[tokio::test]
async fn a_process_that_decides_at_the_same_moment_waits_and_sees_the_session() {
    let server = Server::start().await;
    let (one, other) = (occurrence("k1"), occurrence("k2"));
    let rule = one.suppressible.clone().unwrap();
    let (mut first, mut second) = (
        server.db().begin().await.unwrap(),
        server.db().begin().await.unwrap(),
    );
    let made = insert_unless_suppressed(&mut first, &one, &rule).await;
    assert!(matches!(made, Ok(Accepted::Fresh { .. })), "{made:?}");
    let commit = async {
        wait::until("the other to wait for the row", Duration::from_secs(10), async || {
            let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
            let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(server.db()).await.unwrap();
            waiting == 1
        })
        .await;
        first.commit().await.unwrap();
    };
    let (decided, ()) = tokio::join!(insert_unless_suppressed(&mut second, &other, &rule), commit);
    let expected = Accepted::Suppressed {
        session_id: one.session_id,
        alert_id: one.alert_id,
    };
    assert_eq!(decided.unwrap(), expected);
}

/// Sends an occurrence of one alert as Alertmanager does. Returns its result.
async fn fire(server: &Server, starts_at: &str) -> Value {
    let payload = json!({
        "version": "4", "groupKey": "{}", "status": "firing", "receiver": "tarsy", "groupLabels": {}, "commonLabels": {},
        "commonAnnotations": {}, "externalURL": "http://alertmanager.example", "alerts": [{
            "status": "firing", "labels": {"alertname": "DiskFull"}, "annotations": {}, "fingerprint": "f1",
            "startsAt": starts_at, "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://prometheus.example",
        }],
    });
    let answer = server.post("/webhooks/alertmanager", &payload).await;
    answer.body["results"][0]["status"].clone()
}

#[tokio::test]
async fn of_many_occurrences_at_once_one_makes_the_session() {
    let server = Server::configured(&config("{cooldown: 1h}")).await;
    let starts: Vec<_> = (0..40)
        .map(|second| format!("2026-11-20T08:24:{second:02}Z"))
        .collect();
    let became = join_all(starts.iter().map(|starts_at| fire(&server, starts_at))).await;
    let queued = became.iter().filter(|status| **status == "queued");
    assert_eq!(queued.count(), 1, "{became:?}");
    assert!(
        became
            .iter()
            .all(|status| status == "queued" || status == "suppressed")
    );
    assert_eq!(server.count("alert_sessions").await, 1);
}

#[tokio::test]
async fn alertmanager_gets_the_status_suppressed_and_it_is_counted() {
    let server = Server::configured(&config("{cooldown: 1h}")).await;
    assert_eq!(fire(&server, "2026-11-20T08:24:38Z").await, "queued");
    assert_eq!(
        fire(&server, "2026-11-20T08:25:00Z").await,
        "suppressed",
        "while it runs"
    );
    end(&server, "completed").await;
    assert_eq!(fire(&server, "2026-11-20T08:24:38Z").await, "duplicate");
    assert_eq!(fire(&server, "2026-11-20T08:31:00Z").await, "suppressed");
    let metrics = server
        .client
        .get(server.url("/metrics"))
        .send()
        .await
        .unwrap();
    let metrics = metrics.text().await.unwrap();
    let counted = r#"tarsy_webhook_alerts_total{result="suppressed",source="alertmanager"} 2"#;
    assert!(metrics.contains(counted), "{metrics}");
}
