//! Spending of children counts for the chain that dispatched them.

use tarsy_testing::fake_llm::Behaviour;
use tarsy_tests::{Fleet, SOON};
use tempfile::TempDir;

/// A call costs a dollar. The lead asks twice before it waits.
const SCRIPT: &str = r#"rules:
  - when: {agent: Reader}
    reply: {usage: {input_tokens: 1000, output_tokens: 0}, text: 'Final Answer: read'}
  - when: {iteration: 1}
    reply: {usage: {input_tokens: 1000, output_tokens: 0}, text: "Thought: a\nAction: dispatch_agent\nAction Input: {\"name\": \"Reader\", \"task\": \"look\"}"}
  - when: {iteration: 2}
    reply: {usage: {input_tokens: 1000, output_tokens: 0}, text: "Thought: a\nAction: list_agents\nAction Input: {\"wait\": true}"}
  - when: {}
    reply: {usage: {input_tokens: 1000, output_tokens: 0}, text: 'Final Answer: done'}
"#;

const CONFIG: &str = "
agents:
  Lead: {iteration_strategy: react, sub_agents: [Reader]}
  Reader: {iteration_strategy: react}
agent_chains:
  led:
    alert_types: [Led]
    spending: {cost_per_day: LIMIT}
    stages:
      - {name: lead, agent: Lead}
llm_providers:
  priced:
    type: scripted
    script: SCRIPT_FILE
    price: {input_per_million: 1000.0, output_per_million: 0.0}
default_llm_provider: priced
";

/// Returns how the child of a session ends under a limit, and what its chain spent, in dollars.
async fn child_under(limit: &str) -> (String, f64) {
    let folder = TempDir::new().unwrap();
    let (script, config) = (
        folder.path().join("script.yaml"),
        folder.path().join("agents.yaml"),
    );
    let text = CONFIG.replace("SCRIPT_FILE", script.to_str().unwrap());
    std::fs::write(&script, SCRIPT).unwrap();
    std::fs::write(&config, text.replace("LIMIT", limit)).unwrap();
    let fleet = Fleet::new(|_| Behaviour::fail(500, "nobody asks this model"))
        .await
        .with("AGENT_CONFIG_FILE", config.to_str().unwrap())
        .with("TARSY_STAGE_CONCURRENCY", "1");
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Led").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.final_analysis.as_deref(), Some("done"));
    let child = "select coalesce(e.error_class, e.status::text) from child_sessions join stage_executions e using (session_id)";
    let child: String = sqlx::query_scalar(child)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap();
    let spent =
        "select sum(cost_usd) from usage_between(0, now_us() + 3600000000) where chain_id = 'led'";
    let spent: f64 = sqlx::query_scalar(spent)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap();
    (child, spent)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_is_refused_beyond_the_limit_of_its_chain_and_counts_for_it_below() {
    assert_eq!(child_under("2.0").await, ("budget".to_owned(), 3.0));
    assert_eq!(child_under("2.5").await, ("completed".to_owned(), 4.0));
}
