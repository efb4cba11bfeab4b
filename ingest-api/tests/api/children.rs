//! Child sessions, as the API shows them.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::admin::scenes::{CHAIN, failed};
use crate::server::Server;

/// A secret that must be masked wherever it is shown.
const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Creates a running child session that a stage of `parent` dispatched, as `dispatch` does.
async fn child_of(server: &Server, parent: Uuid) -> Uuid {
    sqlx::query_scalar(
        r#"with child as (
               insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
                   fingerprint, chain_id, chain_definition, parent_session_id)
               select gen_random_uuid(), gen_random_uuid(), alert_type, alert_data, severity, alert_timestamp_us, 'sub-agent',
                      'child:1', 'sub-agent', '{"chain_id": "sub-agent", "alert_types": [], "stages": []}', session_id
               from alert_sessions where session_id = $1
               returning session_id
           )
           insert into child_sessions (session_id, parent_execution_id, interaction_id, agent, task, chain_id, depth)
           select session_id, (select execution_id from stage_executions where session_id = $1 and stage_index = 1),
                  gen_random_uuid(), 'Logs', 'read the logs with ' || $2, 'three', 1
           from child returning session_id"#,
    )
    .bind(parent)
    .bind(TOKEN)
    .fetch_one(server.db())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_session_shows_its_children_and_a_child_its_task_and_parent() {
    let server = Server::configured(CHAIN).await;
    let parent = failed(&server, json!({})).await;
    let child = child_of(&server, parent).await;
    let detail = async |session: Uuid, query: &str| {
        let path = format!("/api/v1/history/sessions/{session}{query}");
        server.get(&path).await.body
    };
    for query in ["", "?interactions=none"] {
        let of_parent = detail(parent, query).await;
        let shown = &of_parent["children"][0];
        assert_eq!(shown["session_id"], json!(child), "{of_parent}");
        assert_eq!(
            (&shown["agent"], &shown["status"]),
            (&json!("Logs"), &json!("pending"))
        );
        let stage = &of_parent["stages"][1];
        assert_eq!(shown["parent_execution_id"], stage["execution_id"]);
        assert_eq!(of_parent["task"], Value::Null);

        let of_child = detail(child, query).await;
        assert_eq!(of_child["parent_session_id"], json!(parent));
        assert_eq!(of_child["children"], json!([]));
        for task in [&of_child["task"], &shown["task"]] {
            let task = task.as_str().unwrap();
            assert!(task.starts_with("read the logs with [MASKED_"), "{task}");
        }
    }
    let path = format!("/api/v1/history/sessions/{parent}/export?format=md");
    let export = reqwest::get(server.url(&path)).await.unwrap();
    let export = export.text().await.unwrap();
    let expected =
        format!("Sub-agent Logs (pending, session {child}): read the logs with [MASKED_");
    assert!(export.contains(&expected), "{export}");
}

#[tokio::test]
async fn lists_leave_children_out_unless_they_are_asked_for() {
    let server = Server::configured(CHAIN).await;
    let parent = failed(&server, json!({})).await;
    let child = child_of(&server, parent).await;
    for (query, expected) in [
        ("", vec![parent]),
        ("?follow_ups=only", vec![]),
        ("?follow_ups=show", vec![child, parent]),
        ("?chain_id=sub-agent", vec![child]),
    ] {
        let path = format!("/api/v1/history/sessions{query}");
        let body = server.get(&path).await.body;
        let listed = body["sessions"].as_array().unwrap().iter();
        let listed: Vec<&Value> = listed.map(|line| &line["session_id"]).collect();
        assert_eq!(json!(listed), json!(expected), "{query}");
    }
}
