//! Deliveries of notifications: counts, groups and redelivery.

use serde_json::json;

use super::scenes::{ADMIN, accepted};
use crate::server::Server;

#[tokio::test]
async fn failed_notifications_are_counted() {
    let server = Server::start().await;
    let session = accepted(&server, json!({"n": 1})).await;
    sqlx::query(
        "insert into webhook_deliveries (delivery_id, session_id, target, event, state)
         select gen_random_uuid(), $1, target, 'session.failed', state::delivery_state
         from (values ('pager', 'failed'), ('pager', 'failed'), ('chat', 'failed'), ('chat', 'pending'), ('chat', 'delivered'))
              as d (target, state)",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();
    let counts = async |query: &str| {
        let path = format!("{ADMIN}/webhook-deliveries?limit=1{query}");
        server.get(&path).await.body["counts"].clone()
    };
    assert_eq!(counts("").await, json!({"failed": 3, "pending": 1}));
    let of_one = counts("&target=pager&state=delivered").await;
    assert_eq!(of_one, json!({"failed": 2, "pending": 0}));
}

#[tokio::test]
async fn a_group_of_failed_notifications_is_redelivered_for_one_reason() {
    let server = Server::start().await;
    let session = accepted(&server, json!({"n": 1})).await;
    sqlx::query(
        "insert into webhook_deliveries (delivery_id, session_id, target, event, state, attempts, response_status, error)
         select gen_random_uuid(), $1, target, 'session.failed', state::delivery_state, 8, status, error
         from (values ('pager', 'failed', 410, 'answered 410'), ('pager', 'failed', 410, 'answered 410'), ('pager', 'failed', null, null),
                      ('chat', 'failed', 410, 'answered 410'), ('pager', 'pending', 410, 'answered 410'), ('pager', 'delivered', 204, null))
              as d (target, state, status, error)",
    )
    .bind(session)
    .execute(server.db())
    .await
    .unwrap();
    let groups = async || {
        let answer = server
            .get(&format!("{ADMIN}/webhook-deliveries/groups"))
            .await;
        let groups = answer.body["groups"].as_array().unwrap().clone();
        let named = groups.iter().map(|group| {
            json!([
                group["target"],
                group["state"],
                group["response_status"],
                group["error"],
                group["number"]
            ])
        });
        named.collect::<Vec<_>>()
    };
    assert_eq!(
        groups().await,
        [
            json!(["pager", "failed", 410, "answered 410", 2]),
            json!(["chat", "failed", 410, "answered 410", 1]),
            json!(["pager", "failed", null, null, 1]),
            json!(["pager", "pending", 410, "answered 410", 1]),
        ]
    );
    let path = format!("{ADMIN}/webhook-deliveries/redeliver");
    let body = json!({"target": "pager", "response_status": 410, "error": "answered 410"});
    let unfounded = server.post(&path, &body).await;
    assert_eq!(unfounded.status, 422, "{unfounded:?}");
    let mut body = body;
    body["reason"] = json!("the pager is back");
    let answer = server.post(&path, &body).await;
    assert_eq!(answer.body, json!({"affected": 2, "has_more": false}));
    assert_eq!(
        groups().await[0..2],
        [
            json!(["chat", "failed", 410, "answered 410", 1]),
            json!(["pager", "failed", null, null, 1]),
        ]
    );
    let (jobs, entries): (i64, i64) = sqlx::query_as(
        "select (select count(*) from jobs where unique_key like 'redelivery:%'),
                (select count(*) from audit_log where action = 'delivery.redeliver' and reason = 'the pager is back')",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!((jobs, entries), (2, 2));
    let again = server.post(&path, &body).await;
    assert_eq!(again.body, json!({"affected": 0, "has_more": false}));
}

#[tokio::test]
async fn a_group_that_no_row_can_hold_is_refused() {
    let server = Server::start().await;
    let path = format!("{ADMIN}/webhook-deliveries/redeliver");
    for group in [
        json!({"target": "a\u{0}b", "reason": "a test"}),
        json!({"target": "pager", "error": "\u{0}", "reason": "a test"}),
    ] {
        let answer = server.post(&path, &group).await;
        assert_eq!(answer.status, 422, "{group}");
        assert_eq!(answer.body["code"], "invalid_request", "{group}");
    }
}
