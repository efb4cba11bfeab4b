//! Requests that are replayed by someone who has a copy.

use serde_json::{Value, json};

use super::{hex_mac, now, one, send, server};
use crate::server::Server;

async fn ended(server: &Server) {
    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_copy_from_sentry_with_another_request_id_is_a_duplicate() {
    let server = server().await;
    let body = json!({"action": "triggered", "installation": {"uuid": "u"}, "data": {"event": {
        "issue_id": "77", "title": "TypeError", "datetime": "2026-11-20T10:00:00.5Z"}}})
    .to_string();
    let sent = async |id: &str| {
        let headers = [
            ("sentry-hook-signature", hex_mac(body.as_bytes())),
            ("request-id", id.to_owned()),
        ];
        one(&send(&server, "sentry", &headers, &body).await)
    };
    let (status, session) = sent("r1").await;
    assert_eq!(status, "queued");
    ended(&server).await;
    assert_eq!(sent("r2").await, ("duplicate".to_owned(), session));
}

#[tokio::test]
async fn a_copy_of_a_signed_generic_request_is_a_duplicate_and_a_new_one_with_the_same_content_is_not()
 {
    let server = server().await;
    let body = json!({"what": {"kind": "kubernetes", "id": "i", "state": "bad", "level": "high"}})
        .to_string();
    let sent = async |time: i64| {
        let mac = hex_mac(format!("{time}:{body}").as_bytes());
        let headers = [("x-sig", mac), ("x-time", time.to_string())];
        one(&send(&server, "home-made", &headers, &body).await)
    };
    let time = now();
    let (status, first) = sent(time).await;
    assert_eq!(status, "queued");
    ended(&server).await;
    assert_eq!(sent(time).await, ("duplicate".to_owned(), first));
    assert_eq!(sent(time + 1).await.0, "queued");
}

/// Sends an event to `signed-events` with its signature and these headers.
async fn signed_event(server: &Server, headers: &[(&str, &str)], body: &str) -> (String, Value) {
    let signature = ("x-sig", hex_mac(body.as_bytes()));
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    let headers: Vec<_> = headers.chain([signature]).collect();
    one(&send(server, "signed-events", &headers, body).await)
}

fn attributes(id: &str) -> [(&'static str, &str); 4] {
    [
        ("ce-specversion", "1.0"),
        ("ce-id", id),
        ("ce-source", "/s"),
        ("ce-type", "com.example.alarm"),
    ]
}

#[tokio::test]
async fn a_copy_of_a_signed_binary_event_under_another_id_is_a_duplicate() {
    let server = server().await;
    let body = json!({"host": "a"}).to_string();
    let (status, session) = signed_event(&server, &attributes("1"), &body).await;
    assert_eq!(status, "queued");
    ended(&server).await;
    let copy = signed_event(&server, &attributes("2"), &body).await;
    assert_eq!(copy, ("duplicate".to_owned(), session));
    let other = json!({"host": "b"}).to_string();
    let (status, _) = signed_event(&server, &attributes("3"), &other).await;
    assert_eq!(status, "queued");
}

#[tokio::test]
async fn a_copy_of_a_signed_event_in_another_mode_is_a_duplicate() {
    let server = server().await;
    let event = json!({"specversion": "1.0", "id": "1", "source": "/s", "type": "com.example.alarm", "data": {"host": "a"}});
    for (content_type, body) in [
        ("application/cloudevents+json", event.to_string()),
        (
            "application/cloudevents-batch+json",
            json!([event]).to_string(),
        ),
    ] {
        let sent = signed_event(&server, &[("content-type", content_type)], &body).await;
        ended(&server).await;
        let copy = signed_event(&server, &attributes("2"), &body).await;
        assert_eq!(copy, ("duplicate".to_owned(), sent.1), "{content_type}");
    }
}
