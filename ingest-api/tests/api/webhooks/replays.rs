//! What is sent again by somebody who has a copy of it.

use serde_json::json;

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
async fn a_copy_of_what_a_generic_source_signed_is_a_duplicate_and_the_same_said_again_is_not() {
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
