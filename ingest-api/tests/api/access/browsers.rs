//! Security headers, CORS and foreign pages.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::server::{IntoAnswer as _, Server, alert};

#[tokio::test]
async fn every_answer_carries_the_headers_that_browsers_need() {
    let server = Server::with(&[("TARSY_HSTS", "1h")]).await;
    for path in ["/", "/health", "/nowhere", "/webhooks/none"] {
        let answer = server.client.get(server.url(path)).send().await.unwrap();
        let header = |name: &str| answer.headers()[name].to_str().unwrap();
        assert!(
            header("content-security-policy").starts_with("default-src 'none'; frame-ancestors"),
            "{path}"
        );
        assert_eq!(
            [
                header("x-content-type-options"),
                header("x-frame-options"),
                header("referrer-policy"),
                header("strict-transport-security")
            ],
            [
                "nosniff",
                "DENY",
                "no-referrer",
                "max-age=3600; includeSubDomains"
            ],
            "{path}"
        );
    }
}

#[tokio::test]
async fn pages_of_named_origins_may_ask_and_no_others() {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ])
    .await;
    let preflight = async |origin: &str| {
        let request = server
            .client
            .request(Method::OPTIONS, server.url("/alerts"))
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type",
            );
        let answer = request.send().await.unwrap();
        let allowed = answer.headers().get("access-control-allow-origin");
        allowed.map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(
        preflight("https://tarsy.example").await.as_deref(),
        Some("https://tarsy.example")
    );
    assert_eq!(preflight("https://evil.example").await, None);
}

#[tokio::test]
async fn a_page_of_another_origin_changes_nothing() {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ])
    .await;
    let post = async |origin: &str| {
        let request = server
            .post_raw("/alerts", alert(json!({"by": origin})).to_string())
            .header("origin", origin);
        request.send().await.unwrap().into_answer().await
    };
    let refused = post("https://evil.example").await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::FORBIDDEN, &json!("origin_not_allowed"))
    );
    assert_eq!(server.count("alert_sessions").await, 0);
    for origin in ["https://tarsy.example", "http://localhost:5173"] {
        assert_eq!(post(origin).await.status, StatusCode::ACCEPTED, "{origin}");
    }
}
