//! Floods of requests without valid credentials must not affect other callers.

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;
use tarsy_ingest_api::NewKey;
use tarsy_model::Role;

use super::ON;
use crate::server::{IntoAnswer as _, Server};

const SOURCES: &str = "
webhooks:
  grafana: {secrets_env: [GRAFANA_SECRET], alert_type: {default: kubernetes}}
";
/// Allows bursts of 30 requests.
const RATE: [(&str, &str); 2] = [("TARSY_RATE_LIMIT", "1"), ("TARSY_RATE_BURST", "30")];

async fn server() -> Server {
    let source = Source::Text {
        name: "test".to_owned(),
        text: SOURCES.to_owned(),
    };
    let variables = [("OPENAI_API_KEY", "x"), ("GRAFANA_SECRET", "hush"), ON];
    Server::configured_with(source, &[&variables[..], &RATE].concat()).await
}

fn payload(name: &str) -> Value {
    json!({"version": "4", "status": "firing", "alerts": [{
        "status": "firing", "fingerprint": name, "startsAt": "2026-11-20T08:24:38Z",
        "labels": {"alertname": "kubernetes", "pod": name}, "annotations": {},
    }]})
}

#[tokio::test]
async fn a_flood_without_credentials_takes_nothing_from_a_signed_source() {
    let server = server().await;
    let post = async |name: String, secret: &str| {
        let request = server.post_raw("/webhooks/grafana", payload(&name).to_string());
        let answer = request.bearer_auth(secret).send().await.unwrap();
        answer.into_answer().await
    };
    let flood = join_all((0..200).map(|n| post(format!("f{n}"), "wrong"))).await;
    let refused = |status| {
        flood
            .iter()
            .filter(|answer| answer.status == status)
            .count()
    };
    assert!(refused(StatusCode::UNAUTHORIZED) > 0);
    assert!(refused(StatusCode::TOO_MANY_REQUESTS) > 100);
    assert!(flood.iter().all(|answer| answer.status.is_client_error()));

    let signed = join_all((0..25).map(|n| post(format!("s{n}"), "hush"))).await;
    let statuses: Vec<_> = signed.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [StatusCode::ACCEPTED; 25]);
    // Signed requests are rate-limited too.
    let more = join_all((0..40).map(|n| post(format!("t{n}"), "hush"))).await;
    let busy = more
        .iter()
        .filter(|answer| answer.body["code"] == "source_rate_limited");
    assert!(busy.count() > 20);
}

#[tokio::test]
async fn a_flood_of_wrong_keys_takes_nothing_from_right_ones() {
    let server = server().await;
    let right = server.key("ada", Role::Viewer).await;
    assert_eq!(
        server.get_as(&right, "/api/v1/me").await.status,
        StatusCode::OK
    );
    let guess = async || {
        let wrong = NewKey::generate().key;
        server.get_as(&wrong, "/api/v1/me").await.status
    };
    let guesses = join_all((0..100).map(|_| guess())).await;
    assert!(
        guesses.contains(&StatusCode::TOO_MANY_REQUESTS),
        "{guesses:?}"
    );
    let answers = join_all((0..25).map(|_| server.get_as(&right, "/api/v1/me"))).await;
    assert!(answers.iter().all(|answer| answer.status == StatusCode::OK));
    // Tickets are not looked up in the database any more either.
    let ticket = format!("/ws/dashboard/ada?ticket={}", "0".repeat(64));
    assert_eq!(
        server.get(&ticket).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );
}
