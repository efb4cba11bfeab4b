//! `POST /webhooks/{source}` of vendors that sign, and of those that don't.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use tarsy_config::{Environment, Source};

use crate::server::{Answer, IntoAnswer as _, Server};

const SOURCES: &str = "
webhooks:
  grafana: {secrets_env: [GRAFANA_SECRET], alert_type: {default: kubernetes}}
  pagerduty: {secrets_env: [PD_OLD, PD_NEW], alert_type: {labels: [service], values: {Checkout: kubernetes}}}
  datadog: {secrets_env: [DD_TOKEN], alert_type: {default: kubernetes}}
  sentry: {secrets_env: [SENTRY_SECRET], alert_type: {default: kubernetes}}
  opsgenie: {alert_type: {default: kubernetes}}
  cloudevents: {alert_type: {labels: [type], values: {com.example.alarm: kubernetes}}}
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

/// Status and session of the only result.
fn one(answer: &Answer) -> (String, Value) {
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let result = &answer.body["results"][0];
    (
        result["status"].as_str().unwrap().to_owned(),
        result["session_id"].clone(),
    )
}

/// A first delivery, again, again after its session has ended, and the news that it is over.
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
    sqlx::query("update alert_sessions set status = 'completed'")
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

#[tokio::test]
async fn pagerduty() {
    let server = server().await;
    let event = |status: &str| {
        json!({"event": {
            "id": format!("E-{status}"), "event_type": format!("incident.{status}"), "resource_type": "incident",
            "occurred_at": "2026-11-20T10:00:00.000Z", "client": null,
            "data": {"id": "PINC1", "type": "incident", "status": status, "title": "Checkout is slow", "urgency": "high",
                     "service": {"id": "PS", "summary": "Checkout"}, "priority": {"summary": "P1"}},
        }})
        .to_string()
    };
    let sign = |body: &str| {
        vec![(
            "x-pagerduty-signature",
            format!("v1={}", hex_mac(body.as_bytes())),
        )]
    };
    lives_its_life(
        &server,
        "pagerduty",
        &event("triggered"),
        &event("resolved"),
        sign,
    )
    .await;
    let (severity, kind): (String, String) =
        sqlx::query_as("select severity, alert_type from alert_sessions")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!((severity.as_str(), kind.as_str()), ("P1", "kubernetes"));
    let ping = json!({"event": {"id": "1", "event_type": "pagey.ping", "resource_type": "pagey", "data": {}}}).to_string();
    assert_eq!(
        one(&send(&server, "pagerduty", &sign(&ping), &ping).await).0,
        "ignored"
    );
}

#[tokio::test]
async fn sentry_and_datadog() {
    let server = server().await;
    let body = |action: &str| {
        json!({"action": action, "installation": {"uuid": "u"}, "data": {"event": {
            "issue_id": "77", "title": "TypeError", "level": "error", "datetime": "2026-11-20T10:00:00.5Z"}}})
        .to_string()
    };
    let sign = |body: &str| {
        let id = if body.contains("triggered") {
            "r1"
        } else {
            "r2"
        };
        vec![
            ("sentry-hook-signature", hex_mac(body.as_bytes())),
            ("request-id", id.to_owned()),
        ]
    };
    lives_its_life(
        &server,
        "sentry",
        &body("triggered"),
        &body("resolved"),
        sign,
    )
    .await;

    let body = |transition: &str, id: &str| {
        json!({"title": "[Triggered] Host is down", "severity": "P1", "alert_type": "error", "alert_transition": transition,
               "date": "1700000000000", "scopes": "host:a", "id": id, "monitor_id": "1234"})
        .to_string()
    };
    let sign = |_: &str| vec![("authorization", format!("Bearer {SECRET}"))];
    lives_its_life(
        &server,
        "datadog",
        &body("Triggered", "1"),
        &body("Recovered", "2"),
        sign,
    )
    .await;
}

#[tokio::test]
async fn opsgenie_and_cloudevents() {
    let server = server().await;
    let body = |action: &str| {
        json!({"action": action, "integrationId": "i", "alert": {
            "alertId": "a-1", "message": "disk full", "createdAt": 1_700_000_000_000_i64, "updatedAt": 1_700_000_000_000_000_000_i64}})
        .to_string()
    };
    lives_its_life(&server, "opsgenie", &body("Create"), &body("Close"), |_| {
        Vec::new()
    })
    .await;
    assert_eq!(
        one(&send(&server, "opsgenie", &[], &body("Acknowledge")).await).0,
        "ignored"
    );

    let event = |id: &str| json!({"specversion": "1.0", "id": id, "source": "/s", "type": "com.example.alarm", "data": {"host": "a"}});
    let structured = send(
        &server,
        "cloudevents",
        &[("content-type", "application/cloudevents+json".to_owned())],
        &event("1").to_string(),
    )
    .await;
    let (status, session) = one(&structured);
    assert_eq!(status, "queued");
    let attributes = [
        ("ce-specversion", "1.0"),
        ("ce-id", "1"),
        ("ce-source", "/s"),
        ("ce-type", "com.example.alarm"),
    ];
    let attributes = attributes.map(|(name, value)| (name, value.to_owned()));
    let binary = send(&server, "cloudevents", &attributes, r#"{"host": "a"}"#).await;
    assert_eq!(
        one(&binary),
        ("duplicate".to_owned(), session),
        "the same event in another mode"
    );
    let options = server.client.request(
        reqwest::Method::OPTIONS,
        server.url("/webhooks/cloudevents"),
    );
    let answer = options
        .header("webhook-request-origin", "events.example")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["webhook-allowed-origin"], "events.example");
}

#[tokio::test]
async fn standard_webhooks_and_home_made_ones() {
    let server = server().await;
    let body = |status: &str| json!({"data": {"incident": "INC-1", "status": status}}).to_string();
    let key = BASE64.decode(WHSEC.trim_start_matches("whsec_")).unwrap();
    let sign = |body: &str| {
        let id = if body.contains("open") {
            "msg_1"
        } else {
            "msg_2"
        };
        let text = format!("{id}.{}.{body}", now());
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), text.as_bytes());
        vec![
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", now().to_string()),
            ("webhook-signature", format!("v1,{}", BASE64.encode(mac))),
        ]
    };
    lives_its_life(
        &server,
        "incident-io",
        &body("open"),
        &body("resolved"),
        sign,
    )
    .await;

    let body = |state: &str| {
        json!({"what": {"kind": "kubernetes", "id": 7, "state": state, "level": "high"}})
            .to_string()
    };
    let sign = |body: &str, time: i64| {
        vec![
            (
                "x-sig",
                format!("sha256={}", hex_mac(format!("{time}:{body}").as_bytes())),
            ),
            ("x-time", time.to_string()),
        ]
    };
    let (status, session) = one(&send(
        &server,
        "home-made",
        &sign(&body("bad"), now()),
        &body("bad"),
    )
    .await);
    assert_eq!(status, "queued");
    assert_eq!(
        one(&send(
            &server,
            "home-made",
            &sign(&body("fine"), now()),
            &body("fine")
        )
        .await),
        ("resolved".to_owned(), session)
    );
    assert_eq!(
        one(&send(
            &server,
            "home-made",
            &sign(&body("noise"), now()),
            &body("noise")
        )
        .await)
        .0,
        "ignored"
    );
    let old = send(
        &server,
        "home-made",
        &sign(&body("bad"), now() - 400),
        &body("bad"),
    )
    .await;
    assert_eq!(
        (old.status.as_u16(), &old.body["code"]),
        (401, &json!("signature_not_valid"))
    );
}

#[tokio::test]
async fn grafana_speaks_alertmanagers_form_and_signs() {
    let server = server().await;
    let body = json!({"version": "1", "status": "firing", "alerts": [{
        "status": "firing", "labels": {"alertname": "x"}, "annotations": {}, "values": null, "fingerprint": "c6ea",
        "startsAt": "2026-11-20T09:51:03.157076+02:00", "endsAt": "0001-01-01T00:00:00Z"}]})
    .to_string();
    let signed = [("x-grafana-alerting-signature", hex_mac(body.as_bytes()))];
    assert_eq!(
        one(&send(&server, "grafana", &signed, &body).await).0,
        "queued"
    );
    let source: String = sqlx::query_scalar("select source from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(source, "grafana");
    assert_eq!(
        send(
            &server,
            "grafana",
            &[("x-grafana-alerting-signature", "00".to_owned())],
            &body
        )
        .await
        .status
        .as_u16(),
        401
    );
}

#[tokio::test]
async fn sns_is_asked_only_at_its_own_addresses() {
    let server = server().await;
    let envelope = |topic: &str, certificate: &str| {
        json!({"Type": "SubscriptionConfirmation", "MessageId": "m", "TopicArn": topic, "Message": "m", "Token": "t",
               "Timestamp": "2026-11-20T10:00:00.000Z", "SignatureVersion": "1", "Signature": "AAAA",
               "SubscribeURL": "http://169.254.169.254/", "SigningCertURL": certificate})
        .to_string()
    };
    let plain = [("content-type", "text/plain; charset=UTF-8".to_owned())];
    for (topic, certificate) in [
        (
            "arn:aws:sns:eu-west-1:2:other",
            "https://sns.eu-west-1.amazonaws.com/a.pem",
        ),
        ("arn:aws:sns:eu-west-1:1:t", "https://evil.example/a.pem"),
        ("arn:aws:sns:eu-west-1:1:t", "http://169.254.169.254/a.pem"),
    ] {
        let answer = send(&server, "sns", &plain, &envelope(topic, certificate)).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (401, &json!("signature_not_valid"))
        );
    }
}

#[test]
fn sns_without_topics_is_no_configuration() {
    let source = Source::Text {
        name: "test".to_owned(),
        text: "webhooks: {sns: {}}".to_owned(),
    };
    let refused = tarsy_config::Config::load(&source, &Environment::of([("OPENAI_API_KEY", "x")]))
        .unwrap_err();
    assert!(format!("{refused}").contains("topics") || format!("{refused:?}").contains("topics"));
}
