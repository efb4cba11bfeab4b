//! Standard Webhooks, and formats that only the configuration defines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use serde_json::json;

use super::{WHSEC, hex_mac, lives_its_life, now, one, send, server};

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
