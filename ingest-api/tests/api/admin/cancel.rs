//! `POST sessions/{id}/cancel`.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_config::Source;
use uuid::Uuid;

use super::scenes::{accepted, ask, logged, text, working};
use crate::server::Server;

#[tokio::test]
async fn a_session_that_waits_is_ended_with_its_job_and_an_event() {
    let server = Server::start().await;
    let session = accepted(&server, json!({})).await;
    let answer = ask(&server, &format!("/sessions/{session}/cancel")).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(
        answer.body,
        json!({"session_id": session, "status": "cancelled"})
    );
    let status = "select status::text || ' ' || coalesce(outcome::text, '-') || ' ' || error_message from alert_sessions where session_id = $1";
    assert_eq!(
        text(&server, status, session).await,
        "cancelled - cancelled by ada: an outage"
    );
    assert_eq!(server.count("jobs").await, 0, "its chain job is taken away");
    let event: Value = sqlx::query_scalar("select payload from events order by id desc limit 1")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(
        (&event["type"], &event["status"]),
        (&json!("session_status_change"), &json!("cancelled"))
    );
    assert_eq!(
        logged(&server).await,
        [("session.cancel".to_owned(), session.to_string())]
    );

    let again = ask(&server, &format!("/sessions/{session}/cancel")).await;
    assert_eq!(
        (again.status, &again.body["code"]),
        (StatusCode::CONFLICT, &json!("session_ended"))
    );
    let unknown = ask(&server, &format!("/sessions/{}/cancel", Uuid::now_v7())).await;
    assert_eq!(
        (unknown.status, &unknown.body["code"]),
        (StatusCode::NOT_FOUND, &json!("session_not_found"))
    );
    assert_eq!(
        logged(&server).await.len(),
        1,
        "what was refused is not an action"
    );
}

#[tokio::test]
async fn a_stage_at_work_is_cut_off_with_the_call_it_is_in() {
    let server = Server::start().await;
    let (session, stage, job) = working(&server).await;
    let mut listener = sqlx::postgres::PgListener::connect_with(server.db())
        .await
        .unwrap();
    listener.listen("tarsy_cancel").await.unwrap();
    let answer = ask(&server, &format!("/sessions/{session}/cancel")).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);

    let statuses =
        "select status::text || ' ' || error_class from stage_executions where execution_id = $1";
    assert_eq!(text(&server, statuses, stage).await, "cancelled cancelled");
    let call = "select success::text || ' ' || error_message from mcp_interactions where stage_execution_id = $1";
    let call = text(&server, call, stage).await;
    assert!(
        call.starts_with("false the session was cancelled during this call"),
        "{call}"
    );
    let flag = "select cancel_requested::text from jobs where id = $1";
    assert_eq!(
        text(&server, flag, job).await,
        "true",
        "its worker learns of it by its lease too"
    );
    assert_eq!(listener.recv().await.unwrap().payload(), stage.to_string());
    let kinds: Vec<String> =
        sqlx::query_scalar("select kind || ' ' || (payload ->> 'status') from events order by id")
            .fetch_all(server.db())
            .await
            .unwrap();
    let end = &kinds[kinds.len() - 2..];
    assert_eq!(
        end,
        [
            "stage_progress cancelled",
            "session_status_change cancelled"
        ]
    );
}

#[tokio::test]
async fn targets_that_subscribe_to_cancellations_receive_them() {
    let yaml = "notifications:\n  quiet: {url: \"https://example.com/a\", format: slack}\n  \
                loud: {url: \"https://example.com/b\", format: slack, events: [cancelled]}\n";
    let source = Source::Text {
        name: "test".to_owned(),
        text: yaml.to_owned(),
    };
    let server = Server::configured_with(source, &[("OPENAI_API_KEY", "not-used")]).await;
    let session = accepted(&server, json!({})).await;
    ask(&server, &format!("/sessions/{session}/cancel")).await;
    let deliveries: Vec<(String, String)> =
        sqlx::query_as("select target, event from webhook_deliveries")
            .fetch_all(server.db())
            .await
            .unwrap();
    assert_eq!(
        deliveries,
        [("loud".to_owned(), "session.cancelled".to_owned())]
    );
    let job = "select queue from jobs where subject = (select delivery_id from webhook_deliveries where session_id = $1)";
    assert_eq!(text(&server, job, session).await, "webhook");
}
