//! Authentication of monitoring systems, by a signature or a key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;
use tarsy_model::Role;

use super::ON;
use crate::server::{IntoAnswer as _, Server};

const SOURCES: &str = "
webhooks:
  alertmanager: {}
  grafana:
    secrets_env: [GRAFANA_SECRET]
";

fn payload(name: &str) -> Value {
    json!({"version": "4", "status": "firing", "alerts": [{
        "status": "firing", "fingerprint": name, "startsAt": "2026-11-20T08:24:38Z",
        "labels": {"alertname": "kubernetes", "pod": name}, "annotations": {},
    }]})
}

async fn server() -> Server {
    let source = Source::Text {
        name: "test".to_owned(),
        text: SOURCES.to_owned(),
    };
    let variables = [
        ("OPENAI_API_KEY", "not-used"),
        ("GRAFANA_SECRET", "hush"),
        ON,
    ];
    Server::configured_with(source, &variables).await
}

#[tokio::test]
async fn a_source_without_a_signature_needs_a_key_wherever_it_can_put_it() {
    let server = server().await;
    let key = server.key("alertmanager", Role::Ingest).await;
    let post = async |name: &str, header: Option<(&str, String)>| {
        let mut request = server.post_raw("/webhooks/alertmanager", payload(name).to_string());
        if let Some((header, value)) = header {
            request = request.header(header, value);
        }
        request.send().await.unwrap().into_answer().await.status
    };
    assert_eq!(post("a", None).await, StatusCode::UNAUTHORIZED);
    let basic = BASE64.encode(format!("tarsy:{key}"));
    for (name, header, value) in [
        ("b", "authorization", format!("Bearer {key}")),
        ("c", "authorization", format!("Basic {basic}")),
        ("d", "x-api-key", key.clone()),
    ] {
        assert_eq!(
            post(name, Some((header, value))).await,
            StatusCode::ACCEPTED,
            "{name}"
        );
    }
    let author: String = sqlx::query_scalar("select distinct author from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(author, "alertmanager");
    let unknown = server.post("/webhooks/pager", &json!({})).await;
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_signature_is_as_good_as_a_key_and_a_wrong_one_is_not() {
    let server = server().await;
    let post = async |secret: &str| {
        let request = server
            .post_raw("/webhooks/grafana", payload("g").to_string())
            .bearer_auth(secret);
        request.send().await.unwrap().into_answer().await
    };
    assert_eq!(post("hush").await.status, StatusCode::ACCEPTED);
    let refused = post("wrong").await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::UNAUTHORIZED, &json!("signature_not_valid"))
    );
}
