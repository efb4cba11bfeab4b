//! Tests that model options of a stage and its agent reach the provider and the record.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};

use crate::bench::{Bench, CONFIG};

/// The preferred model refuses all calls.
fn model(request: &SeenRequest) -> Behaviour {
    match request.model.as_str() {
        "small" => Behaviour::fail(401, "no such key"),
        _ => Behaviour::text("It was the disk."),
    }
}

#[tokio::test]
async fn a_stage_wins_over_its_agent_and_the_agent_over_the_provider() {
    let agent = "Watcher: {mcp_servers: [demo], iteration_strategy: regular, temperature: 0.5, reasoning_effort: high, fallbacks: []}";
    let config = CONFIG.replace(
        "Watcher: {mcp_servers: [demo], iteration_strategy: regular}",
        agent,
    );
    let bench = Bench::configured(&config, model).await;
    let alert = json!({"disk": "full"});
    // The agent allows no fallback, although the provider has one.
    let ended = bench.run(alert.clone(), "Read the log.").await;
    assert_eq!(ended.row["status"], "failed", "{}", ended.row);
    let requests = bench.llm.requests();
    assert!(requests.iter().all(|seen| seen.model == "small"));

    let options = json!({"reasoning_effort": "low", "fallbacks": ["second"]});
    let stage = json!({"name": "watch", "agent": "Watcher", "model_options": options});
    let due = bench.make_stage_due(alert, "Read the log.", stage).await;
    let ended = bench.run_due(due).await;
    assert_eq!(ended.row["status"], "completed", "{}", ended.row);
    let last = bench.llm.requests().pop().expect("a question");
    assert_eq!(
        (&last.body["temperature"], &last.body["reasoning_effort"]),
        (&json!(0.5), &json!("low"))
    );
    let kept: Value = sqlx::query_scalar(
        "select to_jsonb(i) from llm_interactions i order by timestamp_us desc limit 1",
    )
    .fetch_one(bench.db.pool())
    .await
    .expect("the question");
    assert_eq!(kept["temperature"], 0.5, "{kept}");
    assert_eq!(kept["answered_by"], "second/big", "{kept}");
}
