//! The audit log of operators' actions.

use serde_json::json;

use super::scenes::{ADMIN, ask};
use crate::server::Server;

#[tokio::test]
async fn the_log_is_read_newest_first_by_actor_action_and_subject() {
    let server = Server::start().await;
    for path in [
        "/queues/chain/pause",
        "/queues/webhook/pause",
        "/queues/chain/resume",
    ] {
        ask(&server, path).await;
    }
    let actions = async |query: &str| {
        let body = server.get(&format!("{ADMIN}/audit-log?{query}")).await.body;
        let entries = body["entries"].as_array().unwrap().iter();
        let actions: Vec<_> = entries
            .map(|e| {
                format!(
                    "{} {}",
                    e["action"].as_str().unwrap(),
                    e["subject"].as_str().unwrap()
                )
            })
            .collect();
        (actions, body["next"].clone())
    };
    let (first, next) = actions("limit=2").await;
    assert_eq!(first, ["queue.resume chain", "queue.pause webhook"]);
    assert_eq!(
        actions(&format!("limit=2&before={next}")).await,
        (vec!["queue.pause chain".to_owned()], json!(null))
    );
    assert_eq!(
        actions("subject=chain&action=queue.pause").await.0,
        ["queue.pause chain"]
    );
    assert_eq!(actions("actor=bob").await.0, [""; 0]);
    let entry = server.get(&format!("{ADMIN}/audit-log?limit=1")).await.body["entries"][0].clone();
    for (member, value) in [
        ("actor", json!("ada")),
        ("role", json!("admin")),
        ("action", json!("queue.resume")),
        ("subject_kind", json!("queue")),
        ("subject", json!("chain")),
        ("reason", json!("an outage")),
        ("details", json!({})),
    ] {
        assert_eq!(entry[member], value, "{member}");
    }
    assert!(entry["entry_id"].is_i64() && entry["at_us"].is_i64());
    for bad in ["before=x", "limit=201", "who=ada"] {
        let refused = server.get(&format!("{ADMIN}/audit-log?{bad}")).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (400, &json!("invalid_parameter")),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn the_log_can_only_grow() {
    let server = Server::start().await;
    ask(&server, "/queues/chain/pause").await;
    // The tests' role owns the tables, so grants do not restrict it. Only the trigger protects the log here.
    for change in [
        "update audit_log set actor = 'nobody'",
        "delete from audit_log",
        "delete from audit_log where false",
        "truncate audit_log",
        "set session_replication_role = replica; delete from audit_log",
    ] {
        let mut conn = server.db().acquire().await.unwrap().detach();
        let refused = sqlx::raw_sql(change).execute(&mut conn).await.unwrap_err();
        let code = refused
            .as_database_error()
            .and_then(|e| e.code())
            .unwrap_or_default();
        assert_eq!(code, "42501", "{change}: {refused}");
    }
    assert_eq!(server.count("audit_log").await, 1);
}

#[tokio::test]
async fn an_action_without_a_reason_is_refused() {
    let server = Server::start().await;
    let pause = async |body: &'static str| {
        let answer = server
            .post_raw(&format!("{ADMIN}/queues/chain/pause"), body)
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        let body: serde_json::Value = answer.json().await.unwrap();
        (status, body["code"].as_str().unwrap().to_owned())
    };
    for (body, status, code) in [
        ("{}", 422, "invalid_request"),
        ("{\"reason\": \"\"}", 422, "invalid_request"),
        ("{\"reason\": null}", 422, "invalid_request"),
        ("{\"reason\": \"x\", \"more\": 1}", 422, "invalid_request"),
        ("{", 400, "malformed_json"),
        ("", 400, "empty_body"),
    ] {
        assert_eq!(pause(body).await, (status, code.to_owned()), "{body}");
    }
    assert_eq!(
        (
            server.count("queue_state").await,
            server.count("audit_log").await
        ),
        (0, 0)
    );
}
