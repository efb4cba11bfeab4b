//! `POST /webhooks/{source}` of vendors that sign their requests, and of others.

mod form;
mod odd;
mod replays;
mod sns;
mod vendors;

use reqwest::StatusCode;
use ring::hmac;
use serde_json::Value;
use tarsy_config::Source;

use crate::server::{Answer, IntoAnswer as _, Server};

const SOURCES: &str = "
webhooks:
  grafana: {secrets_env: [GRAFANA_SECRET], alert_type: {default: kubernetes}}
  pagerduty: {secrets_env: [PD_OLD, PD_NEW], alert_type: {labels: [service], values: {Checkout: kubernetes}}}
  datadog: {secrets_env: [DD_TOKEN], alert_type: {default: kubernetes}}
  sentry: {secrets_env: [SENTRY_SECRET], alert_type: {default: kubernetes}}
  opsgenie: {alert_type: {default: kubernetes}}
  cloudevents: {alert_type: {labels: [type], values: {com.example.alarm: kubernetes}}}
  signed-events: {type: cloudevents, secrets_env: [GENERIC_SECRET], signature_header: X-Sig, alert_type: {default: kubernetes}}
  incident-io: {type: standard-webhooks, secrets_env: [SW_SECRET], alert_type: {default: kubernetes}, id: {labels: [data.incident]}, status: {labels: [data.status]}}
  home-made: {type: generic, secrets_env: [GENERIC_SECRET], signature_header: X-Sig, timestamp_header: X-Time, alert_type: {labels: [what.kind]}, id: {labels: [what.id]}, status: {labels: [what.state], values: {fine: resolved, noise: ignore}}, severity: {labels: [what.level]}}
  sns: {topics: ['arn:aws:sns:eu-west-1:1:t'], alert_type: {default: kubernetes}}
";
const SECRET: &str = "s3cret";
const WHSEC: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async fn server() -> Server {
    let variables = [
        ("OPENAI_API_KEY", "x"),
        ("GRAFANA_SECRET", SECRET),
        ("PD_OLD", "former"),
        ("PD_NEW", SECRET),
        ("DD_TOKEN", SECRET),
        ("SENTRY_SECRET", SECRET),
        ("SW_SECRET", WHSEC),
        ("GENERIC_SECRET", SECRET),
    ];
    Server::configured_with(
        Source::Text {
            name: "test".to_owned(),
            text: SOURCES.to_owned(),
        },
        &variables,
    )
    .await
}

fn hex_mac(text: &[u8]) -> String {
    let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), text);
    mac.as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn now() -> i64 {
    chrono::Utc::now().timestamp()
}

async fn send(server: &Server, source: &str, headers: &[(&str, String)], body: &str) -> Answer {
    let mut request = server.post_raw(&format!("/webhooks/{source}"), body.to_owned());
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    request.send().await.unwrap().into_answer().await
}

/// Returns status and session of the only result.
fn one(answer: &Answer) -> (String, Value) {
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let result = &answer.body["results"][0];
    (
        result["status"].as_str().unwrap().to_owned(),
        result["session_id"].clone(),
    )
}

/// Sends a first delivery, repeats it before and after its session has ended, and reports that it
/// is resolved.
async fn lives_its_life(
    server: &Server,
    source: &str,
    firing: &str,
    resolved: &str,
    sign: impl Fn(&str) -> Vec<(&'static str, String)>,
) {
    let sent = |body: String| {
        let headers = sign(&body);
        async move { send(server, source, &headers, &body).await }
    };
    let (status, session) = one(&sent(firing.to_owned()).await);
    assert_eq!(status, "queued", "{source}");
    assert_eq!(
        one(&sent(firing.to_owned()).await),
        ("duplicate".to_owned(), session.clone()),
        "{source}"
    );
    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(
        one(&sent(firing.to_owned()).await),
        ("duplicate".to_owned(), session.clone()),
        "{source} after its end"
    );
    assert_eq!(
        one(&sent(resolved.to_owned()).await),
        ("resolved".to_owned(), session.clone()),
        "{source}"
    );
    let row: (Option<i64>, Vec<u8>) = sqlx::query_as(
        "select resolved_at_us, body from alert_sessions join webhook_requests using (session_id) where session_id::text = $1",
    )
    .bind(session.as_str().unwrap())
    .fetch_one(server.db())
    .await
    .unwrap();
    assert!(row.0.is_some(), "{source}");
    assert_eq!(row.1, firing.as_bytes(), "{source}: byte for byte");
    let bad = send(server, source, &[], firing).await;
    let is_signed = !sign(firing).is_empty() && !matches!(source, "cloudevents" | "opsgenie");
    assert_eq!(bad.status.as_u16() == 401, is_signed, "{source}: {bad:?}");
}
