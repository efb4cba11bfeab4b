//! What targets were told, counted.

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
