//! API keys: creation, use and revocation.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use tarsy_model::Role;
use tarsy_testing::wait;

use crate::server::Server;

const KEYS: &str = "/api/v1/admin/keys";
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_key_is_shown_once_and_opens_until_it_is_revoked() {
    let server = Server::guarded(&[]).await;
    let admin = server.key("ada", Role::Admin).await;
    let wanted = json!({"name": "grafana", "role": "viewer", "reason": "the new dashboard"});
    let made = server.post_as(&admin, KEYS, &wanted).await;
    assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
    let key = made.body["key"].as_str().unwrap().to_owned();
    assert!(key.starts_with(made.body["prefix"].as_str().unwrap()));
    assert_eq!(
        (&made.body["created_by"], &made.body["expires_at_us"]),
        (&json!("ada"), &json!(null))
    );

    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.body,
        json!({"name": "grafana", "role": "viewer", "auth": "key"})
    );
    let listed = server.get_as(&admin, KEYS).await;
    assert_eq!(listed.body["keys"][0]["name"], "grafana");
    assert!(!listed.body.to_string().contains(&key));
    let kept: String =
        sqlx::query_scalar("select api_keys::text from api_keys where name = 'grafana'")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert!(!kept.contains(&key));

    let revoke = format!("{KEYS}/{}/revoke", made.body["key_id"].as_str().unwrap());
    let revoked = server
        .post_as(&admin, &revoke, &json!({"reason": "lost"}))
        .await;
    assert!(revoked.body["revoked_at_us"].is_i64(), "{revoked:?}");
    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.status,
        StatusCode::UNAUTHORIZED
    );
    let again = server
        .post_as(&admin, &revoke, &json!({"reason": "again"}))
        .await;
    assert_eq!(again.body["revoked_at_us"], revoked.body["revoked_at_us"]);

    let log = server.get_as(&admin, "/api/v1/admin/audit-log").await.body["entries"].clone();
    let logged: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            [&entry["actor"], &entry["action"], &entry["reason"]].map(|v| v.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        logged,
        [
            ["ada", "key.revoke", "again"],
            ["ada", "key.revoke", "lost"],
            ["ada", "key.create", "the new dashboard"]
        ]
    );
}

#[tokio::test]
async fn a_key_that_another_process_revokes_is_refused_soon() {
    let server = Server::guarded(&[]).await;
    let key = server.key("pager", Role::Ingest).await;
    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.status,
        StatusCode::OK
    );
    sqlx::query("update api_keys set revoked_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    wait::until("the key to be refused", PATIENCE, async || {
        server.get_as(&key, "/api/v1/me").await.status == StatusCode::UNAUTHORIZED
    })
    .await;
}

#[tokio::test]
async fn a_key_expires_at_its_time() {
    let server = Server::guarded(&[]).await;
    let key = server.key("visitor", Role::Viewer).await;
    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.status,
        StatusCode::OK
    );
    sqlx::query("update api_keys set expires_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    wait::until("the key to end", PATIENCE, async || {
        server.get_as(&key, "/api/v1/me").await.status == StatusCode::UNAUTHORIZED
    })
    .await;
}

#[tokio::test]
async fn a_key_does_not_revoke_itself() {
    let server = Server::guarded(&[]).await;
    let admin = server.key("ada", Role::Admin).await;
    let listed = server.get_as(&admin, KEYS).await;
    let path = format!(
        "{KEYS}/{}/revoke",
        listed.body["keys"][0]["key_id"].as_str().unwrap()
    );
    let why = json!({"reason": "a slip"});
    let refused = server.post_as(&admin, &path, &why).await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::CONFLICT, &json!("own_key"))
    );
    let other = server.key("grace", Role::Admin).await;
    assert_eq!(
        server.post_as(&other, &path, &why).await.status,
        StatusCode::OK
    );
    let status = server.get_as(&admin, "/api/v1/me").await.status;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn one_wrong_digit_opens_nothing() {
    let server = Server::guarded(&[]).await;
    let key = server.key("pager", Role::Ingest).await;
    let last = if key.ends_with('0') { '1' } else { '0' };
    let wrong = format!("{}{last}", &key[..key.len() - 1]);
    assert_eq!(
        server.get_as(&wrong, "/api/v1/me").await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn requests_ask_the_database_nothing_about_keys() {
    let server = Server::guarded(&[]).await;
    let key = server.key("pager", Role::Ingest).await;
    assert_eq!(
        server.get_as(&key, "/api/v1/me").await.status,
        StatusCode::OK
    );
    // If a request ran a statement on the keys, it would wait for this lock.
    let mut tx = server.db().begin().await.unwrap();
    sqlx::query("lock table api_keys in access exclusive mode")
        .execute(&mut *tx)
        .await
        .unwrap();
    for _ in 0..50 {
        assert_eq!(
            server.get_as(&key, "/api/v1/me").await.status,
            StatusCode::OK
        );
    }
}

#[tokio::test]
async fn when_a_key_was_used_is_noted_at_the_end_at_the_latest() {
    let mut server = Server::guarded(&[]).await;
    let key = server.key("pager", Role::Ingest).await;
    server.get_as(&key, "/api/v1/me").await;
    server.stop.cancel();
    (&mut server.served).await.unwrap().unwrap();
    let used: Option<i64> = sqlx::query_scalar("select last_used_at_us from api_keys")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!(used.is_some());
}

#[tokio::test]
async fn a_key_that_is_not_well_wanted_names_each_mistake() {
    let server = Server::guarded(&[]).await;
    let admin = server.key("ada", Role::Admin).await;
    let wrong = json!({"name": " ", "role": "root", "expires_at_us": 1, "reason": "a test"});
    let answer = server.post_as(&admin, KEYS, &wrong).await;
    let errors = answer.body["errors"].as_array().unwrap();
    let fields: Vec<_> = errors
        .iter()
        .map(|e| e["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["name", "expires_at_us", "role"]);
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);

    for reason in [
        json!(null),
        json!(" "),
        json!("x\u{0}"),
        json!("x".repeat(501)),
    ] {
        let wanted = json!({"name": "b", "role": "viewer", "reason": reason});
        let answer = server.post_as(&admin, KEYS, &wanted).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{reason}");
    }

    let taken = json!({"name": "ada", "role": "viewer", "reason": "a second one"});
    let answer = server.post_as(&admin, KEYS, &taken).await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (StatusCode::CONFLICT, &json!("key_name_taken"))
    );
    for path in ["no-id", "00000000-0000-7000-8000-000000000000"] {
        let path = format!("{KEYS}/{path}/revoke");
        let answer = server
            .post_as(&admin, &path, &json!({"reason": "none"}))
            .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
}
