//! Retention periods, table sizes and pruning.

use serde_json::json;

use super::scenes::{ADMIN, CHAIN, ask, ask_with, failed, logged};
use crate::server::Server;

#[tokio::test]
async fn what_is_past_its_time_is_counted_first_and_deleted_when_that_is_meant() {
    let server = Server::configured(CHAIN).await;
    failed(&server, json!({"n": 1})).await;
    failed(&server, json!({"n": 2})).await;
    sqlx::query("update alert_sessions set completed_at_us = 5 where alert_data ->> 'n' = '1'")
        .execute(server.db())
        .await
        .unwrap();
    let shown = server.get(&format!("{ADMIN}/retention")).await.body;
    assert_eq!(
        (
            &shown["history_retention_days"],
            &shown["overdue_sessions"],
            &shown["event_retention_seconds"]
        ),
        (&json!(90), &json!(1), &json!(86_400))
    );
    let sizes = shown["sizes"].as_array().unwrap();
    let sessions = sizes
        .iter()
        .find(|size| size["table"] == "alert_sessions")
        .unwrap();
    assert!(sessions["bytes"].as_i64().unwrap() > 8_192, "{sessions}");
    assert!(shown["total_bytes"].as_i64().unwrap() > sessions["bytes"].as_i64().unwrap());

    let dry = ask(&server, "/retention/prune").await.body;
    assert_eq!(dry, json!({"dry_run": true, "sessions": 1, "events": 0}));
    assert_eq!(
        (
            server.count("alert_sessions").await,
            server.count("audit_log").await
        ),
        (2, 0)
    );
    let done = ask_with(&server, "/retention/prune", json!({"dry_run": false}))
        .await
        .body;
    assert_eq!(done, json!({"dry_run": false, "sessions": 1, "events": 0}));
    assert_eq!(server.count("alert_sessions").await, 1);
    assert_eq!(
        logged(&server).await,
        [("retention.prune".to_owned(), "overdue".to_owned())]
    );
}
