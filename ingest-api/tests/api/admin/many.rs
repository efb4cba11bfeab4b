//! Bulk cancel and replay by filter.

use std::time::Duration;

use serde_json::json;
use tarsy_store::history::index_for_search;

use super::scenes::{CHAIN, accepted, ask_with, failed, logged};
use crate::server::Server;

#[tokio::test]
async fn many_are_counted_first_and_cancelled_when_that_is_meant() {
    let server = Server::configured(CHAIN).await;
    for n in 0..3 {
        accepted(&server, json!({"n": n, "severity": "critical"})).await;
    }
    let other = accepted(&server, json!({"n": 9})).await;
    failed(&server, json!({"n": 10, "severity": "critical"})).await;
    let filter = json!({"severity": "critical"});

    let dry = ask_with(&server, "/sessions/cancel", json!({"filter": filter}))
        .await
        .body;
    assert_eq!(
        (&dry["dry_run"], &dry["matched"], &dry["affected"]),
        (&json!(true), &json!(3), &json!(0)),
        "those that have ended are not counted: {dry}"
    );
    assert_eq!(
        (
            dry["session_ids"].as_array().unwrap().len(),
            server.count("audit_log").await
        ),
        (3, 0)
    );

    let done = ask_with(
        &server,
        "/sessions/cancel",
        json!({"filter": filter, "dry_run": false}),
    )
    .await
    .body;
    assert_eq!(
        (&done["matched"], &done["affected"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(done["session_ids"], dry["session_ids"]);
    assert_eq!(logged(&server).await.len(), 3, "an entry a session");
    let live: Vec<uuid::Uuid> =
        sqlx::query_scalar("select session_id from alert_sessions where status = 'pending'")
            .fetch_all(server.db())
            .await
            .unwrap();
    assert_eq!(live, [other]);
}

#[tokio::test]
async fn many_are_replayed_from_their_first_failed_stage() {
    let server = Server::configured(CHAIN).await;
    let wanted = failed(&server, json!({"note": "needle in it"})).await;
    failed(&server, json!({"note": "other"})).await;
    let twin = failed(&server, json!({"note": "needle, but its alert is live"})).await;
    accepted(&server, json!({"note": "needle, but its alert is live"})).await;
    index_for_search(
        &mut server.db().acquire().await.unwrap(),
        100,
        Duration::ZERO,
        str::to_owned,
    )
    .await
    .unwrap();

    let wish = json!({"filter": {"search": "needle", "chain_id": "three"}, "dry_run": false});
    let done = ask_with(&server, "/sessions/replay", wish).await.body;
    assert_eq!(
        (&done["matched"], &done["affected"]),
        (&json!(2), &json!(1)),
        "{done}"
    );
    assert_eq!(done["session_ids"], json!([wanted]), "not {twin}");
    let attempts: Vec<(uuid::Uuid, i32)> =
        sqlx::query_as("select session_id, stage_index from stage_executions where attempt = 2")
            .fetch_all(server.db())
            .await
            .unwrap();
    assert_eq!(attempts, [(wanted, 1)]);
}

#[tokio::test]
async fn a_filter_that_leaves_nothing_out_is_not_meant() {
    let server = Server::start().await;
    for filter in [
        json!({}),
        json!({"statuss": "failed"}),
        json!({"page": 1}),
        json!("failed"),
    ] {
        let wish = json!({"filter": filter, "dry_run": false});
        let refused = ask_with(&server, "/sessions/cancel", wish).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (422, &json!("invalid_request")),
            "{filter}"
        );
    }
}
