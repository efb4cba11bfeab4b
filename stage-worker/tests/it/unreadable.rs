//! Tests that rows which this version can't read fail their own stage at once.

use serde_json::json;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};

use crate::bench::Bench;

fn model(_: &SeenRequest) -> Behaviour {
    Behaviour::text("Nothing is wrong.")
}

async fn set_alert(bench: &Bench, text: &str) {
    sqlx::query("update alert_sessions set alert_data = $1::text::jsonb")
        .bind(text)
        .execute(bench.db.pool())
        .await
        .expect("a row of an older version");
}

#[tokio::test]
async fn an_alert_that_is_nested_too_deeply_fails_its_stage_and_asks_no_model() {
    let bench = Bench::new(model).await;
    let due = bench.make_due(json!({"host": "db-1"}), "").await;
    let deep = format!("{{\"d\": {}{}}}", "[".repeat(300), "]".repeat(300));
    set_alert(&bench, &deep).await;
    let ended = bench.run_due(due).await;
    assert_eq!(ended.row["status"], "failed", "{}", ended.row);
    assert_eq!(ended.row["error_class"], "unreadable");
    let why = ended.row["error_message"].as_str().unwrap_or_default();
    assert!(why.contains("recursion limit"), "{why}");
    assert!(bench.llm.requests().is_empty());
    let left: i64 = sqlx::query_scalar("select (select count(*) from jobs where kind = 'stage') + (select count(*) from dead_jobs)")
        .fetch_one(bench.db.pool())
        .await
        .expect("a count");
    assert_eq!(left, 0, "its job is done");
}

#[tokio::test]
async fn a_number_beyond_a_double_keeps_its_digits() {
    let bench = Bench::new(model).await;
    let due = bench.make_due(json!({"host": "db-1"}), "").await;
    set_alert(&bench, r#"{"big": 1e400, "id": 9007199254740993123456789}"#).await;
    let ended = bench.run_due(due).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let body = bench.llm.requests()[0].body.to_string();
    assert!(body.contains("9007199254740993123456789"), "{body}");
}

#[tokio::test]
async fn a_record_that_can_not_be_read_is_not_tried_again() {
    let bench = Bench::new(model).await;
    let due = bench.make_due(json!({"host": "db-1"}), "").await;
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    sqlx::query(
        "insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose,
             timestamp_us, provider, model_name, new_messages, step_description, claim_epoch)
         select gen_random_uuid(), session_id, execution_id, 1, 1, 'iteration', 1, 'first', 'small', $1::text::jsonb, 'ask', 0
         from stage_executions",
    )
    .bind(deep)
    .execute(bench.db.pool())
    .await
    .expect("a record");
    let ended = bench.run_due_without_records(due).await;
    assert_eq!(ended["status"], "failed", "{ended}");
    assert_eq!(ended["error_class"], "unreadable");
}
