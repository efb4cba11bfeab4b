//! Daily spending limits: a stage beyond a limit is not begun.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod beyond;

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_tests::{Fleet, SOON, ops};
use tempfile::TempDir;
use uuid::Uuid;

const SCRIPT: &str = "rules:
  - when: {}
    reply: {usage: {input_tokens: 1000, output_tokens: 0}, text: 'Final Answer: done'}
";

/// A call costs a dollar. Chain `limited` may make two calls a day, the fleet three.
const CONFIG: &str = "
agents:
  Priced: {iteration_strategy: react-final-analysis, custom_instructions: You are priced.}
agent_chains:
  limited:
    alert_types: [Limited]
    spending: {cost_per_day: 2.0}
    stages:
      - {name: one, agent: Priced}
      - {name: two, agent: Priced}
      - {name: three, agent: Priced}
  other:
    alert_types: [Other]
    stages:
      - {name: only, agent: Priced}
spending: {cost_per_day: 3.0}
llm_providers:
  priced:
    type: scripted
    script: SCRIPT_FILE
    price: {input_per_million: 1000.0, output_per_million: 0.0}
default_llm_provider: priced
";

fn refuse_all(_: &SeenRequest) -> Behaviour {
    Behaviour::fail(500, "nobody asks this model")
}

/// Returns statuses, error classes and errors of a session's stages.
async fn stages(fleet: &Fleet, session: Uuid) -> Vec<(String, Option<String>, Option<String>)> {
    sqlx::query_as(
        "select status::text, error_class, error_message from stage_executions where session_id = $1 order by stage_index",
    )
    .bind(session)
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap()
}

fn classes(stages: &[(String, Option<String>, Option<String>)]) -> Vec<&str> {
    let word = |(status, class, _): &'_ (String, Option<String>, Option<String>)| {
        class.is_none() && status == "completed"
    };
    stages
        .iter()
        .map(|stage| {
            if word(stage) {
                "completed"
            } else {
                stage.1.as_deref().unwrap_or("?")
            }
        })
        .collect()
}

/// Creates a fleet whose model costs a dollar per call. The folder contains its configuration.
async fn priced(config: &str) -> (Fleet, TempDir) {
    let folder = TempDir::new().unwrap();
    let (script, file) = (
        folder.path().join("script.yaml"),
        folder.path().join("agents.yaml"),
    );
    std::fs::write(&script, SCRIPT).unwrap();
    let config = config.replace("SCRIPT_FILE", script.to_str().unwrap());
    std::fs::write(&file, config).unwrap();
    let fleet = Fleet::new(refuse_all).await;
    (
        fleet.with("AGENT_CONFIG_FILE", file.to_str().unwrap()),
        folder,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_beyond_the_limit_of_its_chain_or_of_the_fleet_is_not_begun() {
    let (fleet, _folder) = priced(CONFIG).await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let worker = fleet.stage_worker();
    fleet.workers(2).await;

    // The first two stages spend two dollars. The worker knows this itself, without reading what others spent.
    let first = fleet.submit(&ingest, "Limited").await;
    fleet.rows.ended(first, SOON).await;
    let of_first = stages(&fleet, first).await;
    assert_eq!(
        classes(&of_first),
        ["completed", "completed", "budget"],
        "{of_first:?}"
    );
    let reason = of_first[2].2.as_deref().unwrap();
    assert!(
        reason.starts_with("chain `limited` spent $2.00 of its $2.00 for today"),
        "{reason}"
    );
    let second = fleet.submit(&ingest, "Limited").await;
    fleet.rows.ended(second, SOON).await;
    let of_second = stages(&fleet, second).await;
    assert_eq!(classes(&of_second), ["budget"; 3], "{of_second:?}");
    assert_eq!(
        fleet
            .rows
            .count("select count(*) from llm_interactions")
            .await,
        2
    );
    let (_, metrics) = ops::get(&ops::url(&worker).await, "/metrics")
        .await
        .unwrap();
    assert!(
        metrics.contains("tarsy_stages_over_budget_total{chain=\"limited\"} 4"),
        "{metrics}"
    );

    // A chain without a limit runs until the fleet has reached its limit. A new process reads what others spent.
    let other = fleet.submit(&ingest, "Other").await;
    fleet.rows.ended(other, SOON).await;
    assert_eq!(classes(&stages(&fleet, other).await), ["completed"]);
    worker.kill();
    let _next = fleet.stage_worker();
    let last = fleet.submit(&ingest, "Other").await;
    fleet.rows.ended(last, SOON).await;
    let of_last = stages(&fleet, last).await;
    assert_eq!(classes(&of_last), ["budget"], "{of_last:?}");
    assert!(
        of_last[0]
            .2
            .as_deref()
            .unwrap()
            .starts_with("the fleet spent $3.00 of its $3.00"),
        "{of_last:?}"
    );
    fleet.assert_sound().await;
}
