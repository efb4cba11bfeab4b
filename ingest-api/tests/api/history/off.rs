//! Unknown sessions, and history that is switched off.

use reqwest::StatusCode;
use serde_json::json;

use super::SESSIONS;
use crate::server::{Server, alert};

#[tokio::test]
async fn unknown_sessions_and_history_that_is_off_are_404() {
    let server = Server::start().await;
    for id in ["nope", "0190d2f4-0000-7000-8000-000000000000"] {
        for part in ["", "/summary", "/export"] {
            let answer = server.get(&format!("{SESSIONS}/{id}{part}")).await;
            assert_eq!(
                (answer.status, &answer.body["code"]),
                (StatusCode::NOT_FOUND, &json!("session_not_found"))
            );
        }
    }
    let off = Server::with(&[("OPENAI_API_KEY", "not-used"), ("HISTORY_ENABLED", "false")]).await;
    for path in [
        "sessions",
        "search?q=abc",
        "metrics",
        "active-sessions",
        "filter-options",
    ] {
        let answer = off.get(&format!("/api/v1/history/{path}")).await;
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (StatusCode::NOT_FOUND, &json!("history_disabled")),
            "{path}"
        );
    }
    assert_eq!(
        off.get("/api/v1/history/health").await.body["status"],
        "disabled"
    );
    assert_eq!(
        off.post("/alerts", &alert(json!({}))).await.status,
        StatusCode::ACCEPTED
    );
}
