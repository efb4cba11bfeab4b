//! Secrets in alerts and runbooks are shown only to operators, who are named in the audit log.

use reqwest::StatusCode;
use serde_json::json;

use super::{SESSIONS, execute};
use crate::server::{Server, alert};

/// Creates a session whose alert and runbook contain secrets.
async fn leaky(server: &Server) -> String {
    let data = json!({"namespace": "team-a", "labels": {"pod": "password=made-up-secret-4711"}, "password": "made-up-secret-4711"});
    let session = server.post("/alerts", &alert(data)).await.body["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    execute(
        server,
        &format!("update alert_sessions set runbook_content = 'log in with password=made-up-secret-4711' where session_id = '{session}'"),
    )
    .await;
    session
}

#[tokio::test]
async fn alert_and_runbook_are_masked_for_every_caller_and_in_every_export() {
    let server = Server::start().await;
    let session = leaky(&server).await;
    for path in [
        format!("{SESSIONS}/{session}"),
        format!("{SESSIONS}/{session}?interactions=none"),
        format!("{SESSIONS}/{session}/export?format=json"),
        format!("{SESSIONS}/{session}/export?format=csv"),
        format!("{SESSIONS}/{session}/export?format=md"),
        SESSIONS.to_owned(),
    ] {
        let answer = server.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let text = answer.body.to_string();
        assert!(!text.contains("4711"), "{path}: {text}");
        assert!(text.contains("team-a"), "{path}");
    }
}

#[tokio::test]
async fn an_operator_reads_an_alert_as_it_came_and_the_audit_log_records_it() {
    let server = Server::start().await;
    let session = leaky(&server).await;
    let raw = server
        .get(&format!("{SESSIONS}/{session}?raw=true&interactions=none"))
        .await;
    assert_eq!(raw.body["alert_data"]["password"], "made-up-secret-4711");
    assert!(
        raw.body["runbook_content"]
            .as_str()
            .unwrap()
            .contains("4711")
    );
    let log = server.get("/api/v1/admin/audit-log").await;
    assert!(
        log.body.to_string().contains("session.read_raw"),
        "{}",
        log.body
    );
}

#[tokio::test]
async fn a_viewer_does_not_read_an_alert_as_it_came() {
    let server = Server::guarded(&[]).await;
    let operator = server.key("ada", tarsy_model::Role::Operator).await;
    let viewer = server.key("screen", tarsy_model::Role::Viewer).await;
    let posted = server
        .post_as(
            &operator,
            "/alerts",
            &alert(json!({"password": "made-up-secret-4711"})),
        )
        .await;
    let session = posted.body["session_id"].as_str().unwrap().to_owned();
    let path = format!("{SESSIONS}/{session}?raw=true");
    let as_viewer = server.get_with(&path, &[("x-api-key", &viewer)]).await;
    assert_eq!(as_viewer.status, StatusCode::FORBIDDEN);
    assert!(!as_viewer.body.to_string().contains("4711"));
    let as_operator = server.get_with(&path, &[("x-api-key", &operator)]).await;
    assert!(as_operator.body.to_string().contains("4711"));
}
