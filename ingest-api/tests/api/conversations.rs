//! `/api/v1/sessions/{id}/messages`: questions about ended sessions.

use reqwest::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::admin::scenes::{CHAIN, accepted, failed, text};
use crate::server::{Answer, IntoAnswer as _, Server};

async fn ask(server: &Server, session: Uuid, question: &str) -> Answer {
    let path = format!("/api/v1/sessions/{session}/messages");
    server.post(&path, &json!({"text": question})).await
}

async fn ask_with_key(server: &Server, session: Uuid, question: &str, key: &str) -> Answer {
    let body = json!({"text": question}).to_string();
    server
        .post_raw(&format!("/api/v1/sessions/{session}/messages"), body)
        .header("idempotency-key", key)
        .send()
        .await
        .unwrap()
        .into_answer()
        .await
}

async fn turns(server: &Server, session: Uuid) -> Value {
    let path = format!("/api/v1/sessions/{session}/messages");
    server.get(&path).await.body
}

fn id(answer: &Answer) -> Uuid {
    let id = answer.body["session_id"].as_str();
    id.expect("a session").parse().expect("an id")
}

/// Ends the session of a question, as a worker does.
async fn answer(server: &Server, question: Uuid, text: &str) {
    sqlx::query(
        "with done as (delete from jobs where subject = $1)
         update alert_sessions set status = 'completed', outcome = 'completed', completed_at_us = now_us(),
                final_analysis = $2 where session_id = $1",
    )
    .bind(question)
    .bind(text)
    .execute(server.db())
    .await
    .unwrap();
}

#[tokio::test]
async fn a_question_is_a_session_of_one_stage_with_its_job_and_its_audit_entry() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({"n": 1})).await;
    let answer = ask(&server, session, "  why was it killed? ").await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    assert_eq!(answer.body["status"], "queued");
    assert_eq!(answer.body["conversation_id"], json!(session));
    let question = id(&answer);

    let columns = "select concat_ws(' ', status, chain_id, source, alert_type, severity, alert_data ->> 'question',
                         conversation_id = parent_session_id, chain_definition #>> '{stages,0,agent}',
                         jsonb_array_length(chain_definition -> 'stages'))
                  from alert_sessions where session_id = $1";
    assert_eq!(
        text(&server, columns, question).await,
        "pending follow-up follow-up Three warning why was it killed? t KubernetesAgent 1"
    );
    let job = "select concat_ws(' ', queue, kind, state) from jobs where subject = $1";
    assert_eq!(text(&server, job, question).await, "chain chain ready");
    let noted = "select concat_ws(' ', action, details ->> 'question_session_id' = $2) from audit_log where subject = $1::text";
    let noted: String = sqlx::query_scalar(noted)
        .bind(session)
        .bind(question.to_string())
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(noted, "session.ask t");
    let listed = turns(&server, session).await;
    assert_eq!(listed["accepts_questions"], false);
    assert_eq!(listed["turns"][0]["question"], "why was it killed?");
    assert_eq!(listed["turns"][0]["status"], "pending");
}

#[tokio::test]
async fn one_question_at_a_time_and_the_answer_opens_the_next() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let both = tokio::join!(ask(&server, session, "one"), ask(&server, session, "two"));
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [StatusCode::ACCEPTED, StatusCode::CONFLICT]);
    let (taken, refused) = match both.0.status {
        StatusCode::ACCEPTED => both,
        _ => (both.1, both.0),
    };
    assert_eq!(refused.body["code"], "question_running");
    assert_eq!(server.count("alert_sessions").await, 2);

    answer(&server, id(&taken), "because").await;
    // A question about the question's own session continues the same conversation.
    let next = ask(&server, id(&taken), "and then?").await;
    assert_eq!(next.body["conversation_id"], json!(session), "{next:?}");
    let listed = turns(&server, id(&next)).await;
    assert_eq!(listed["conversation_id"], json!(session));
    assert_eq!(listed["turns"][0]["answer"], "because");
    assert_eq!(listed["turns"][1]["question"], "and then?");
}

#[tokio::test]
async fn a_repeated_request_finds_its_question_and_a_key_serves_one_question() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let first = ask_with_key(&server, session, "why?", "k").await;
    let again = ask_with_key(&server, session, "why?", "k").await;
    assert_eq!(id(&first), id(&again));
    assert_eq!(again.body["status"], "duplicate");
    let other = ask_with_key(&server, session, "how?", "k").await;
    assert_eq!(other.body["code"], "idempotency_key_reused", "{other:?}");
    assert_eq!(server.count("alert_sessions").await, 2);
}

#[tokio::test]
async fn a_session_that_runs_or_is_not_there_can_t_be_asked_nor_can_nothing() {
    let server = Server::configured(CHAIN).await;
    let running = accepted(&server, json!({})).await;
    let refused = ask(&server, running, "why?").await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::CONFLICT, &json!("session_running"))
    );
    let unknown = ask(&server, Uuid::now_v7(), "why?").await;
    assert_eq!(unknown.body["code"], "session_not_found");
    for text in ["", " \n", "a\0b", &"x".repeat(4_001)] {
        let refused = ask(&server, running, text).await;
        assert_eq!(refused.body["code"], "invalid_request", "{text:.9}");
    }
}

#[tokio::test]
async fn questions_are_masked_when_they_are_read() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    ask(&server, session, &format!("is {token} still valid?")).await;
    let listed = turns(&server, session).await.to_string();
    assert!(
        listed.contains("[MASKED_") && !listed.contains(token),
        "{listed}"
    );
}

#[tokio::test]
async fn lists_leave_questions_out_unless_they_are_asked_for() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let question = id(&ask(&server, session, "why?").await);
    let listed = async |query: &str| {
        let path = format!("/api/v1/history/sessions?{query}");
        let body = server.get(&path).await.body;
        let lines = body["sessions"].as_array().expect("sessions").clone();
        assert_eq!(body["pagination"]["total_items"], lines.len(), "{query}");
        let ids = lines.into_iter().map(|line| line["session_id"].clone());
        ids.collect::<Vec<_>>()
    };
    for answered in [false, true] {
        if answered {
            answer(&server, question, "so").await;
        }
        for (query, expected) in [
            ("", vec![json!(session)]),
            ("follow_ups=hide&sort_by=duration_ms", vec![json!(session)]),
            ("follow_ups=show", vec![json!(question), json!(session)]),
            ("follow_ups=only", vec![json!(question)]),
            ("chain_id=follow-up", vec![json!(question)]),
        ] {
            assert_eq!(listed(query).await, expected, "{query}, {answered}");
        }
    }
    let wrong = server.get("/api/v1/history/sessions?follow_ups=x").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let line = server
        .get("/api/v1/history/sessions?follow_ups=only")
        .await
        .body;
    assert_eq!(line["sessions"][0]["question"], "why?");
    assert_eq!(line["sessions"][0]["conversation_id"], json!(session));
}

#[tokio::test]
async fn exports_and_details_hold_the_conversation_and_figures_count_alerts_alone() {
    let server = Server::configured(CHAIN).await;
    let session = failed(&server, json!({})).await;
    let question = id(&ask(&server, session, "why?").await);
    answer(&server, question, "the quota was full").await;
    let detail = format!("/api/v1/history/sessions/{session}");
    let detail = server.get(&detail).await.body;
    assert_eq!(detail["conversation"][0]["answer"], "the quota was full");
    for (format, expected) in [
        ("md", "## Question: why?\n\nthe quota was full"),
        ("csv", "\"question\",\"question (completed)\""),
        ("json", "\"answer\": \"the quota was full\""),
    ] {
        let path = format!("/api/v1/history/sessions/{session}/export?format={format}");
        let file = reqwest::get(server.url(&path)).await.unwrap();
        let file = file.text().await.unwrap();
        assert!(file.contains(expected), "{format}: {file}");
    }
    let metrics = server.get("/api/v1/history/metrics").await.body;
    assert_eq!(metrics["total_sessions"], 1, "{metrics}");
}
