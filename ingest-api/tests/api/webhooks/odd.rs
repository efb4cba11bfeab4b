//! Unusual requests: byte order marks, compression, and hooks about other things.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::StatusCode;
use serde_json::json;

use super::{hex_mac, one, send, server};
use crate::server::{Answer, IntoAnswer as _, Server};

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn send_encoded(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> Answer {
    let mut request = server.post_raw(path, body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().into_answer().await
}

fn issue(id: &str) -> String {
    json!({"action": "triggered", "data": {"event": {"issue_id": id, "title": "TypeError"}}})
        .to_string()
}

#[tokio::test]
async fn a_byte_order_mark_is_skipped() {
    let server = server().await;
    let marked = format!("\u{feff}{}", issue("1"));
    let signed = [("sentry-hook-signature", hex_mac(marked.as_bytes()))];
    assert_eq!(
        one(&send(&server, "sentry", &signed, &marked).await).0,
        "queued"
    );
    let alert = format!("\u{feff}{}", crate::server::alert(json!({})));
    let answer = send_encoded(&server, "/alerts", &[], alert.into_bytes()).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let empty = send_encoded(&server, "/alerts", &[], "\u{feff} ".into()).await;
    assert_eq!(empty.body["code"], "empty_body");
}

#[tokio::test]
async fn a_compressed_body_is_read_whichever_form_is_signed() {
    let server = server().await;
    for (id, signs_compressed) in [("1", false), ("2", true)] {
        let text = issue(id);
        let sent = gzip(text.as_bytes());
        let signature = hex_mac(if signs_compressed {
            &sent
        } else {
            text.as_bytes()
        });
        let headers = [
            ("content-encoding", "gzip"),
            ("sentry-hook-signature", &signature),
        ];
        let answer = send_encoded(&server, "/webhooks/sentry", &headers, sent).await;
        assert_eq!(one(&answer).0, "queued", "{id}");
    }
    let body: Vec<u8> =
        sqlx::query_scalar("select body from webhook_requests order by received_at_us limit 1")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(body, issue("1").as_bytes());
    let sent = gzip(issue("3").as_bytes());
    let wrong = hex_mac(b"something else");
    let headers = [
        ("content-encoding", "gzip"),
        ("sentry-hook-signature", &wrong),
    ];
    let answer = send_encoded(&server, "/webhooks/sentry", &headers, sent).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_bomb_gets_413_and_an_unknown_encoding_415() {
    let server = server().await;
    let bomb = gzip(&vec![b' '; 20 * 1024 * 1024]);
    assert!(bomb.len() < 64 * 1024);
    for (path, limit) in [("/webhooks/alertmanager", 16 << 20), ("/alerts", 1 << 20)] {
        let answer =
            send_encoded(&server, path, &[("content-encoding", "gzip")], bomb.clone()).await;
        assert_eq!(
            (answer.status, &answer.body["limit_bytes"]),
            (StatusCode::PAYLOAD_TOO_LARGE, &json!(limit)),
            "{path}"
        );
    }
    for (encoding, status) in [("br", 415), ("gzip, gzip", 415), ("gzip", 400)] {
        let headers = [("content-encoding", encoding)];
        let answer = send_encoded(&server, "/alerts", &headers, b"{}".to_vec()).await;
        assert_eq!(answer.status.as_u16(), status, "{encoding}: {answer:?}");
    }
}

#[tokio::test]
async fn sentry_s_other_hooks_are_acknowledged_and_ignored() {
    let server = server().await;
    let hooks = [
        json!({"action": "created", "installation": {"uuid": "u"},
               "data": {"installation": {"app": {"slug": "tarsy"}, "code": "c", "status": "pending", "uuid": "u"}}}),
        json!({"action": "deleted", "data": {"installation": {"uuid": "u"}}}),
        json!({"action": "created", "data": {"comment": "hm", "comment_id": "1", "issue_id": 100, "project_slug": "p"}}),
        json!({"action": "created", "data": {"error": {"event_id": "e", "issue_id": "77", "title": "TypeError"}}}),
    ];
    for hook in hooks {
        let body = hook.to_string();
        let signed = [("sentry-hook-signature", hex_mac(body.as_bytes()))];
        let answer = send(&server, "sentry", &signed, &body).await;
        assert_eq!(one(&answer).0, "ignored", "{hook}");
    }
    // A hook about an issue without an id is still rejected. It is the only one that is stored as rejected.
    let body =
        json!({"action": "triggered", "data": {"event": {"title": "TypeError"}}}).to_string();
    let signed = [("sentry-hook-signature", hex_mac(body.as_bytes()))];
    let refused = send(&server, "sentry", &signed, &body).await;
    assert_eq!(
        refused.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{refused:?}"
    );
    tarsy_testing::wait::until("the rejection", crate::alertmanager::SOON, async || {
        server.count("rejected_alerts").await == 1
    })
    .await;
    assert_eq!(server.count("alert_sessions").await, 0);
}
