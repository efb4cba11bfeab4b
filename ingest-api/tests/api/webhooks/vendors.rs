//! Vendors with their own payload formats.

use serde_json::json;

use super::{SECRET, hex_mac, lives_its_life, one, send, server};
use crate::server::IntoAnswer as _;

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

    // The user chose "encode as form". A form is accepted only with the token.
    let form = "title=%5BTriggered%5D+Host+is+down&alert_transition=Triggered&id=3&monitor_id=9&date=1700000000000&note=a%26b";
    let sent = async |source: &str, proof: Option<&str>| {
        let url = server.url(&format!("/webhooks/{source}"));
        let mut request = server.client.post(url).body(form).header(
            "content-type",
            "application/x-www-form-urlencoded; charset=utf-8",
        );
        if let Some(token) = proof {
            request = request.bearer_auth(token);
        }
        request.send().await.unwrap().into_answer().await
    };
    let (status, session) = one(&sent("datadog", Some(SECRET)).await);
    assert_eq!(status, "queued");
    let kept: (serde_json::Value, Vec<u8>) = sqlx::query_as(
        "select alert_data, body from alert_sessions join webhook_requests using (session_id) where session_id::text = $1",
    )
    .bind(session.as_str().unwrap())
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(kept.0["note"], "a&b");
    assert_eq!(kept.1, form.as_bytes(), "byte for byte");
    assert_eq!(sent("datadog", None).await.status.as_u16(), 401);
    assert_eq!(sent("opsgenie", None).await.status.as_u16(), 415);
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
async fn grafana_uses_alertmanagers_form_and_signs() {
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
