//! `/api/v1/ask`: questions to the knowledge store.

use reqwest::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::admin::scenes::CHAIN;
use crate::server::{Answer, IntoAnswer as _, Server};

/// The configuration section. Its server is not started here.
const KNOWLEDGE: &str = "
mcp_servers:
  facts:
    connection_params: {command: tarsy, args: [mcp, knowledge]}
    default_effect: read_only
knowledge: {server: facts}
";

async fn server() -> Server {
    Server::configured(&format!("{CHAIN}{KNOWLEDGE}")).await
}

async fn ask(server: &Server, question: Value) -> Answer {
    server.post("/api/v1/ask", &question).await
}

fn id(answer: &Answer) -> Uuid {
    let id = answer.body["session_id"].as_str();
    id.unwrap_or_else(|| panic!("{answer:?}")).parse().unwrap()
}

#[tokio::test]
async fn a_question_is_a_session_of_the_chain_with_its_job_and_its_audit_entry() {
    let server = server().await;
    let answer = ask(
        &server,
        json!({"question": " where is h-1? ", "collection": "hosts", "filters": {"rack": ["r07", "r08"], "model": "k3"}}),
    )
    .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let question = id(&answer);
    assert_eq!(answer.body["conversation_id"], json!(question));
    let (chain, data, jobs, audit): (String, Value, i64, i64) = sqlx::query_as(
        "select chain_id, alert_data, (select count(*) from jobs where subject = session_id),
                (select count(*) from audit_log where action = 'session.ask')
         from alert_sessions where session_id = $1",
    )
    .bind(question)
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!((&*chain, jobs, audit), ("knowledge", 1, 1));
    let expected = json!({
        "question": "where is h-1?", "collections": ["hosts"], "filters": {"rack": ["r07", "r08"], "model": ["k3"]}, "debug": false,
        "history": [], "summary": null, "summarize": [], "summarize_until": null,
    });
    assert_eq!(data, expected);

    let answer = server.get(&format!("/api/v1/ask/{question}")).await;
    assert_eq!(
        (&answer.body["status"], &answer.body["answer"]),
        (&json!("pending"), &Value::Null)
    );
    // Another question of the same conversation is refused meanwhile.
    let second = json!({"question": "and h-2?", "conversation": question});
    let refused = ask(&server, second.clone()).await;
    assert_eq!(refused.body["code"], "question_running", "{refused:?}");
    sqlx::query(
        "update alert_sessions set status = 'completed', outcome = 'completed', completed_at_us = now_us(),
                final_analysis = 'in r07' where session_id = $1",
    )
    .bind(question)
    .execute(server.db())
    .await
    .unwrap();
    let answer = ask(&server, second).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let history: Value = sqlx::query_scalar(
        "select alert_data -> 'history' from alert_sessions where session_id = $1",
    )
    .bind(id(&answer))
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(history, json!(["Question: where is h-1?\nAnswer: in r07"]));
}

#[tokio::test]
async fn a_question_that_can_not_be_asked_gets_the_reason() {
    let server = server().await;
    for (question, status, code) in [
        (json!({"question": "  "}), 422, "invalid_request"),
        (
            json!({"question": "x", "collection": "Hosts; drop"}),
            422,
            "invalid_request",
        ),
        (
            json!({"question": "x", "filters": {"rack": []}}),
            422,
            "invalid_request",
        ),
        (
            json!({"question": "x", "filters": {"rack": ["r07\0"]}}),
            422,
            "invalid_request",
        ),
        (
            json!({"question": "x", "filters": {"rack": " "}}),
            422,
            "invalid_request",
        ),
        (
            json!({"question": "x", "filters": {"rack": 7}}),
            422,
            "invalid_request",
        ),
        (
            json!({"question": "x", "conversation": Uuid::nil()}),
            404,
            "session_not_found",
        ),
        (
            json!({"question": "x", "model": "y"}),
            422,
            "invalid_request",
        ),
    ] {
        let refused = ask(&server, question.clone()).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (status, &json!(code)),
            "{question}: {refused:?}"
        );
    }
    let without = Server::configured(CHAIN).await;
    let refused = ask(&without, json!({"question": "x"})).await;
    assert_eq!(refused.body["code"], "knowledge_disabled", "{refused:?}");
    for path in ["", "/stream", "?debug=true"] {
        let unknown = server
            .get(&format!("/api/v1/ask/{}{path}", Uuid::nil()))
            .await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_repeated_request_finds_its_question() {
    let server = server().await;
    let post = async |body: Value| {
        let request = server.post_raw("/api/v1/ask", body.to_string());
        let request = request.header("idempotency-key", "k-1");
        request.send().await.unwrap().into_answer().await
    };
    let first = post(json!({"question": "where is h-1?"})).await;
    let again = post(json!({"question": "where is h-1?"})).await;
    assert_eq!(
        (id(&first), &again.body["status"]),
        (id(&again), &json!("duplicate"))
    );
    for other in [
        json!({"question": "where is h-2?"}),
        json!({"question": "where is h-1?", "collection": "hosts"}),
        json!({"question": "where is h-1?", "filters": {"rack": ["r07"]}}),
    ] {
        let refused = post(other).await;
        assert_eq!(
            refused.body["code"], "idempotency_key_reused",
            "{refused:?}"
        );
    }
}
