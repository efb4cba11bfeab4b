//! Resubmission of rejected alerts.

use serde_json::{Value, json};

use super::{REJECTED, firing, kept, server};
use crate::server::{Server, alert};

async fn submit(server: &Server, rejection: &Value) -> crate::server::Answer {
    let id = rejection["rejection_id"].as_str().unwrap();
    let path = format!("{REJECTED}/{id}/submit");
    server
        .post(&path, &json!({"reason": "its provider is back"}))
        .await
}

async fn audited(server: &Server) -> Value {
    sqlx::query_scalar(
        "select coalesce(jsonb_agg(jsonb_build_array(action, subject_kind, reason)), '[]') from audit_log",
    )
    .fetch_one(server.db())
    .await
    .unwrap()
}

#[tokio::test]
async fn an_alert_that_no_provider_could_answer_is_submitted_when_there_is_one() {
    let before = Server::with(&[]).await;
    let refused = before.post("/alerts", &alert(json!({"pod": "cart"}))).await;
    assert_eq!(refused.body["code"], "no_llm_provider", "{refused:?}");
    let rejection = kept(&before, 1).await.remove(0);
    let again = submit(&before, &rejection).await;
    assert_eq!(again.body["code"], "no_llm_provider", "{again:?}");
    assert_eq!(audited(&before).await, json!([]));

    let server = Server::over(before.db().clone()).await;
    let accepted = submit(&server, &rejection).await;
    assert_eq!(accepted.status, 202, "{accepted:?}");
    assert_eq!(accepted.body["status"], "queued");
    let pod: String = sqlx::query_scalar("select alert_data ->> 'pod' from alert_sessions")
        .fetch_one(before.db())
        .await
        .unwrap();
    assert_eq!(pod, "cart");
    assert_eq!(
        audited(&before).await,
        json!([[
            "rejected_alert.submit",
            "rejected_alert",
            "its provider is back"
        ]])
    );
    let shown = kept(&server, 1).await.remove(0);
    assert!(
        shown["submitted_at_us"].is_i64() && shown["submitted_by"].is_string(),
        "{shown}"
    );
}

#[tokio::test]
async fn a_webhook_that_was_signed_wrongly_is_submitted_in_the_name_of_an_operator() {
    let server = server().await;
    let payload = json!({"alerts": [firing("f", "kubernetes")]});
    assert_eq!(server.post("/webhooks/grafana", &payload).await.status, 401);
    let rejection = kept(&server, 1).await.remove(0);
    let accepted = submit(&server, &rejection).await;
    assert_eq!(accepted.status, 202, "{accepted:?}");
    assert_eq!(accepted.body["results"][0]["status"], "queued");
    let (source, author): (String, Option<String>) =
        sqlx::query_as("select source, author from alert_sessions")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(
        (source.as_str(), author.as_deref()),
        ("grafana", Some("api-client"))
    );
    let unknown = server
        .post(
            &format!("{REJECTED}/00000000-0000-0000-0000-000000000000/submit"),
            &json!({"reason": "x"}),
        )
        .await;
    assert_eq!(unknown.status, 404);
}
