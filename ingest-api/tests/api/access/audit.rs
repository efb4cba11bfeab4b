//! Audit entries name the authentication method and the key of an action.

use serde_json::{Value, json};
use tarsy_model::Role;

use crate::server::{IntoAnswer as _, Server};

const PAUSE: &str = "/api/v1/admin/queues/chain/pause";
const LOG: &str = "/api/v1/admin/audit-log?limit=1";

#[tokio::test]
async fn an_entry_has_the_means_and_the_key() {
    let server = Server::guarded(&[("TARSY_FORWARDING_KEYS", "proxy")]).await;
    let (own, proxy) = (
        server.key("ada", Role::Operator).await,
        server.key("proxy", Role::Operator).await,
    );
    for (key, user, actor, means, name) in [
        (&own, "eve", "ada", "key", "ada"),
        (&proxy, "ada", "ada", "forwarded", "proxy"),
        (&proxy, "", "proxy", "key", "proxy"),
    ] {
        let body = json!({"reason": "an outage"}).to_string();
        let request = server.post_raw(PAUSE, body).bearer_auth(key);
        let paused = request
            .header("x-forwarded-user", user)
            .send()
            .await
            .unwrap();
        let paused = paused.into_answer().await;
        assert!(paused.status.is_success(), "{paused:?}");
        let entry = server.get_as(&own, LOG).await.body["entries"][0].clone();
        let key_id: String =
            sqlx::query_scalar("select key_id::text from api_keys where name = $1")
                .bind(name)
                .fetch_one(server.db())
                .await
                .unwrap();
        assert_eq!(
            [&entry["actor"], &entry["means"], &entry["key_id"]],
            [&json!(actor), &json!(means), &json!(key_id)]
        );
    }
}

#[tokio::test]
async fn an_entry_shows_that_access_control_was_off_and_an_old_one_shows_nothing() {
    let server = Server::start().await;
    server.post(PAUSE, &json!({"reason": "an outage"})).await;
    let entry = async || server.get(LOG).await.body["entries"][0].clone();
    let new = entry().await;
    assert_eq!(
        (&new["means"], &new["key_id"]),
        (&json!("off"), &Value::Null)
    );
    // An entry as an older version writes it.
    sqlx::query("insert into audit_log (actor, role, action, subject_kind, subject, reason) values ('a', 'admin', 'b', 'c', 'd', 'e')")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(entry().await["means"], Value::Null);
}
