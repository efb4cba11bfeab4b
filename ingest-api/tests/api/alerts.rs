//! `POST /alerts` with valid alerts.

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::server::{IntoAnswer as _, Server, alert};

#[tokio::test]
async fn an_accepted_alert_is_a_session_a_job_and_an_event() {
    let server = Server::start().await;
    let answer = server
        .post_raw("/alerts", alert(json!({"namespace": "team-a"})).to_string())
        .header("x-forwarded-user", "ada")
        .header(
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        )
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    insta::assert_json_snapshot!(answer.body, { ".alert_id" => "[uuid]", ".session_id" => "[uuid]" }, @r#"
    {
      "alert_id": "[uuid]",
      "session_id": "[uuid]",
      "status": "queued",
      "message": "alert accepted for processing"
    }
    "#);

    let session = sqlx::query(
        "select session_id::text, alert_type, severity, source, author, chain_id, status::text, runbook_url, alert_data,
                alert_timestamp_us, traceparent, chain_definition from alert_sessions",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    let text = |column: &str| session.get::<String, _>(column);
    assert_eq!(
        text("session_id"),
        answer.body["session_id"].as_str().unwrap()
    );
    assert_eq!(
        [
            text("severity"),
            text("source"),
            text("author"),
            text("chain_id"),
            text("status")
        ],
        ["warning", "api", "ada", "kubernetes-agent-chain", "pending"]
    );
    let data: Value = session.get("alert_data");
    let timestamp: i64 = session.get("alert_timestamp_us");
    assert_eq!(
        data,
        json!({"namespace": "team-a", "severity": "warning", "environment": "production", "timestamp": timestamp})
    );
    let job = sqlx::query(
        "select queue, kind, subject::text, priority, traceparent, state::text from jobs",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(job.get::<String, _>("queue"), "chain");
    assert_eq!(job.get::<String, _>("subject"), text("session_id"));
    assert_eq!(job.get::<i16, _>("priority"), 1);
    assert!(
        job.get::<String, _>("traceparent")
            .starts_with("00-0af7651916cd43dd8448eb211c80319c-")
    );
    let event: Value = sqlx::query_scalar("select payload from events")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(event["type"], "session_status_change");
    assert_eq!(event["status"], "pending");
}

#[tokio::test]
async fn fields_of_the_sender_override_defaults_and_other_fields_become_data() {
    let server = Server::start().await;
    let body = json!({
        "alert_type": "kubernetes", "runbook": "local:a", "severity": "critical", "timestamp": 1_700_000_000_000_001_i64,
        "cluster": "east", "environment": "staging", "data": {"cluster": "west", "severity": "ignored-for-the-column"},
    });
    assert_eq!(
        server.post("/alerts", &body).await.status,
        StatusCode::ACCEPTED
    );
    let row = sqlx::query("select severity, alert_timestamp_us, alert_data, (select priority from jobs) as priority from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(row.get::<String, _>("severity"), "critical");
    assert_eq!(row.get::<i16, _>("priority"), 3);
    assert_eq!(
        row.get::<Value, _>("alert_data"),
        json!({"cluster": "west", "environment": "staging", "severity": "ignored-for-the-column",
               "timestamp": 1_700_000_000_000_001_i64})
    );
}

#[tokio::test]
async fn an_alert_needs_no_runbook() {
    let server = Server::start().await;
    for runbook in [None, Some(Value::Null)] {
        let mut body = json!({"alert_type": "kubernetes", "data": {"pod": runbook.is_none()}});
        if let Some(runbook) = runbook {
            body["runbook"] = runbook;
        }
        let answer = server.post("/alerts", &body).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{:?}", answer.body);
    }
    let without = "alert_sessions where runbook_url is null";
    assert_eq!(server.count(without).await, 2);
}

#[tokio::test]
async fn a_severity_that_only_the_data_names_counts() {
    let server = Server::start().await;
    server
        .post("/alerts", &alert(json!({"severity": "page"})))
        .await;
    let severity: String = sqlx::query_scalar("select severity from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(severity, "page");
}

#[tokio::test]
async fn the_same_alert_again_is_counted_on_its_session_while_it_lives() {
    let server = Server::start().await;
    let first = server
        .post("/alerts", &alert(json!({"a": 1, "b": [2]})))
        .await
        .body;
    let mut reordered = alert(json!({"b": [2], "a": 1}));
    reordered["timestamp"] = json!(5);
    let again = server.post("/alerts", &reordered).await;
    assert_eq!(again.status, StatusCode::ACCEPTED);
    assert_eq!(again.body["status"], "duplicate");
    assert_eq!(again.body["session_id"], first["session_id"]);
    assert_eq!(again.body["alert_id"], first["alert_id"]);
    let other = server
        .post("/alerts", &alert(json!({"a": 2, "b": [2]})))
        .await
        .body;
    assert_eq!(other["status"], "queued");
    assert_eq!(
        (
            server.count("alert_sessions").await,
            server.count("jobs").await
        ),
        (2, 2)
    );
    let counted: i32 = sqlx::query_scalar("select max(duplicate_count) from alert_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(counted, 1);

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    let later = server.post("/alerts", &reordered).await.body;
    assert_eq!(
        later["status"], "queued",
        "an ended session does not stop a new one"
    );
}

#[tokio::test]
async fn an_idempotency_key_answers_with_its_session_for_good_and_belongs_to_its_sender() {
    let server = Server::start().await;
    let post = async |user: &str, data: Value| {
        let request = server.post_raw("/alerts", alert(data).to_string());
        let request = request
            .header("idempotency-key", "k-1")
            .header("x-forwarded-user", user);
        request.send().await.unwrap().into_answer().await
    };
    let first = post("ada", json!({"n": 1})).await.body;
    sqlx::query("update alert_sessions set status = 'failed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    let again = post("ada", json!({"n": 1})).await.body;
    assert_eq!(
        (&again["status"], &again["session_id"]),
        (&json!("duplicate"), &first["session_id"])
    );
    let other = post("bob", json!({"n": 1})).await.body;
    assert_eq!(other["status"], "queued");
    let reused = post("ada", json!({"n": 2})).await;
    assert_eq!(reused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(reused.body["code"], "idempotency_key_reused");
}

#[tokio::test]
async fn alert_types_are_sorted_strings() {
    let server = Server::start().await;
    assert_eq!(
        server.get("/alert-types").await.body,
        json!(["NamespaceTerminating", "kubernetes"])
    );
}

#[tokio::test]
async fn a_sender_may_name_the_fields_that_identify_its_alerts() {
    let server = Server::start().await;
    let named = |name: &str, namespace: &str| {
        let mut body = alert(json!({ "namespace": namespace }));
        body["fingerprint"] = json!(name);
        body
    };
    let first = server.post("/alerts", &named("eu/payments", "a")).await;
    assert_eq!(first.status, StatusCode::ACCEPTED, "{first:?}");
    let same = server.post("/alerts", &named(" eu/payments ", "b")).await;
    assert_eq!(same.body["status"], "duplicate", "other content, same name");
    assert_eq!(same.body["session_id"], first.body["session_id"]);
    let other = server.post("/alerts", &named("us/payments", "a")).await;
    assert_eq!(other.body["status"], "queued", "same content, other name");

    // The fingerprints can't collide with those of a webhook source, which begin with the source's name.
    let kept: Vec<String> = sqlx::query_scalar("select fingerprint from alert_sessions order by 1")
        .fetch_all(server.db())
        .await
        .unwrap();
    assert_eq!(kept, ["/alerts:eu/payments", "/alerts:us/payments"]);
    let dry = server
        .post("/alerts/dry-run", &named("eu/payments", "c"))
        .await;
    assert_eq!(
        dry.body["duplicate_of"]["session_id"],
        first.body["session_id"]
    );

    sqlx::query("update alert_sessions set status = 'completed', completed_at_us = now_us()")
        .execute(server.db())
        .await
        .unwrap();
    let again = server.post("/alerts", &named("eu/payments", "a")).await;
    assert_eq!(again.body["status"], "queued", "its session has ended");
}

#[tokio::test]
async fn a_fingerprint_is_a_short_printable_text() {
    let server = Server::start().await;
    for wrong in [
        json!(7),
        json!(""),
        json!("x".repeat(129)),
        json!("caf\u{e9}"),
        json!("a\nb"),
    ] {
        let mut body = alert(json!({}));
        body["fingerprint"] = wrong.clone();
        let answer = server.post("/alerts", &body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
        assert_eq!(
            answer.body["errors"][0]["field"], "fingerprint",
            "{answer:?}"
        );
    }
    let mut body = alert(json!({}));
    body["fingerprint"] = Value::Null;
    assert_eq!(
        server.post("/alerts", &body).await.status,
        StatusCode::ACCEPTED
    );
}
