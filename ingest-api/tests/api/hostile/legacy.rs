//! Rows from before documents were validated: each fails alone.

use serde_json::{Value, json};
use tarsy_model::SessionId;

use super::readers::{begin, listed};
use crate::server::{IntoAnswer as _, Server, alert};

const SESSIONS: &str = "/api/v1/history/sessions";

/// Creates a session whose row an older version wrote.
async fn legacy(server: &Server, n: i64, column: &str, value: &str) -> SessionId {
    let accepted = server.post("/alerts", &alert(json!({ "n": n }))).await;
    let session: SessionId = accepted.body["session_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let statement =
        format!("update alert_sessions set {column} = $2::text::jsonb where session_id = $1");
    sqlx::query(sqlx::AssertSqlSafe(statement))
        .bind(session.as_uuid())
        .bind(value)
        .execute(server.db())
        .await
        .unwrap();
    session
}

fn deep() -> String {
    format!("{{\"d\": {}1{}}}", "[".repeat(300), "]".repeat(300))
}

#[tokio::test]
async fn rows_that_no_version_would_accept_are_shown_and_exported() {
    let server = Server::start().await;
    let large = legacy(&server, 1, "alert_data", r#"{"n": 1e400, "fine": 1}"#).await;
    let deep = legacy(&server, 2, "alert_data", &deep()).await;
    let detail = async |session: SessionId| {
        let answer = server.get(&format!("{SESSIONS}/{session}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        for format in ["json", "csv", "md"] {
            let file = format!("{SESSIONS}/{session}/export?format={format}");
            assert_eq!(server.get(&file).await.status, 200, "{format}");
        }
        answer.body["alert_data"].clone()
    };
    let shown = detail(large).await;
    assert_eq!(shown["n"].as_str().unwrap().len(), 401, "{shown}");
    assert_eq!(shown["fine"], 1);
    let shown = detail(deep).await;
    assert!(shown["unreadable"].is_string(), "{shown}");
    assert!(
        shown["text"].as_str().unwrap().starts_with("{\"d\": [[["),
        "{shown}"
    );
    listed(&server, 2).await;
    let found = server.get(&format!("{SESSIONS}?search=fine")).await;
    assert_eq!(found.status, 200, "{found:?}");
}

#[tokio::test]
async fn a_stage_of_such_a_row_begins_and_reports_what_it_can_not_read() {
    let server = Server::start().await;
    let large = legacy(&server, 1, "alert_data", r#"{"n": 1e400}"#).await;
    let begun = begin(server.db(), large).await;
    assert_eq!(begun[0].data.alert_data["n"].as_str().unwrap().len(), 401);
    assert_eq!(begun[0].unreadable, None);
    let deep = legacy(&server, 2, "alert_data", &deep()).await;
    let begun = begin(server.db(), deep).await;
    let why = begun[0].unreadable.clone().unwrap();
    assert!(why.contains("recursion limit exceeded"), "{why}");
    assert_eq!(begun[0].data.alert_data, Value::Null);
}

#[tokio::test]
async fn a_chain_that_can_not_be_read_is_one_row_of_its_group() {
    let server = Server::start().await;
    let odd = legacy(&server, 1, "chain_definition", r#"{"stages": {"a": 1}}"#).await;
    let fine = server.post("/alerts", &alert(json!({ "n": 2 }))).await;
    let fine: SessionId = fine.body["session_id"].as_str().unwrap().parse().unwrap();
    let mut conn = server.db().acquire().await.unwrap();
    let loaded = tarsy_store::chains::load_chains(&mut conn, &[odd, fine])
        .await
        .unwrap();
    let mut read: Vec<_> = loaded
        .iter()
        .map(|row| row.as_ref().map(|row| row.session_id))
        .collect();
    read.sort_by_key(Result::is_err);
    assert_eq!(*read[0].as_ref().unwrap(), fine);
    let unreadable = read[1].as_ref().unwrap_err();
    assert_eq!(unreadable.session_id, odd);
    assert!(
        unreadable.reason.contains("invalid type"),
        "{}",
        unreadable.reason
    );
    listed(&server, 2).await;
    let detail = server.client.get(server.url(&format!("{SESSIONS}/{odd}")));
    assert_eq!(detail.send().await.unwrap().into_answer().await.status, 200);
}
