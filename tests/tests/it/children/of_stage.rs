//! Stages with a list of sub-agents that replaces the list of their agent.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

use super::{analysis, children, dispatch, fleet, wait_for_all};

/// The configuration of a worker that knows none of these agents.
const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/structured.yaml");

/// Dispatches a reader that the stage's list lacks, then the one that it has. Without any sub-agents, concludes.
fn dispatches_both(request: &SeenRequest) -> Behaviour {
    let is = |who: &str| request.contains(who);
    match request.assistant_turns() {
        _ if is("You turn the conclusion") => {
            Behaviour::text(json!({"claims": [{"text": "one was read", "calls": []}]}).to_string())
        }
        _ if is("You are the log reader.") => Behaviour::text("Final Answer: the logs say OOM"),
        _ if !is("dispatch_agent") => Behaviour::text("Final Answer: nobody to ask"),
        0 => dispatch("Metrics"),
        1 if is("they are Logs") => dispatch("Logs"),
        2 => wait_for_all(),
        _ if is("the logs say OOM") => Behaviour::text("Final Answer: one was read"),
        _ => Behaviour::text("Final Answer: something is missing"),
    }
}

async fn detail(url: &str, session: Uuid) -> Value {
    let path = format!("{url}/api/v1/history/sessions/{session}");
    reqwest::get(path).await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_dispatches_whom_it_lists_in_place_of_its_agents_list() {
    let fleet = fleet(dispatches_both).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    // The stage narrows the agent's list, and its conclusion becomes claims.
    let session = fleet.submit(&api, "Narrowed").await;
    let concluded = analysis(&fleet, session).await;
    assert_eq!(concluded.as_deref(), Some("one was read"));
    assert_eq!(children(&fleet).await, ["Logs completed"]);
    let first = fleet.llm.requests().into_iter().next().unwrap();
    assert!(
        first.contains("reads logs") && !first.contains("Metrics"),
        "it is told of those of its stage alone"
    );
    let shown = detail(&api.url, session).await;
    let stage = &shown["stages"][0];
    assert_eq!(stage["agent"], "Lead", "a bare name");
    assert_eq!(stage["stage_output"]["claims"][0]["text"], "one was read");
    assert_eq!(shown["chain_definition"]["stages"][0]["agent"], "Lead");
    let by_agent = format!("{}/api/v1/history/sessions?agent=Lead", api.url);
    let found: Value = reqwest::get(by_agent).await.unwrap().json().await.unwrap();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");

    // One stage removes all sub-agents, another gives a list to an agent without one.
    let session = fleet.submit(&api, "Extended").await;
    let concluded = analysis(&fleet, session).await;
    assert_eq!(concluded.as_deref(), Some("one was read"));
    assert_eq!(children(&fleet).await, ["Logs completed", "Logs completed"]);
    let shown = detail(&api.url, session).await;
    let result = &shown["stages"][0]["stage_output"]["result"];
    assert_eq!(result, "nobody to ask");
    fleet.assert_sound().await;
}

/// Returns the number that a query with one parameter selects.
async fn count(fleet: &Fleet, rows: &'static str, word: &str) -> i64 {
    sqlx::query_scalar(rows)
        .bind(word)
        .fetch_one(fleet.rows.pool())
        .await
        .unwrap()
}

/// Counts the jobs that require the agent of this name.
const REQUIRED: &str =
    "select count(*) from jobs where kind = 'stage' and requires @> array['agent:' || $1]";
/// Counts the stages of this actor by the two columns of their rows.
const STORED: &str =
    "select count(*) from stage_executions where agent = 'Lead' and requires || ':Lead' = $1";

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_know_the_list_of_a_stage_leaves_it_to_one_that_does() {
    let fleet = fleet(dispatches_both).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let words = [
        ("Narrowed", "structured-agent:dispatching-agent:Lead"),
        ("Extended", "dispatching-agent:Lead"),
    ];
    let mut sessions = Vec::new();
    for (alert_type, word) in words {
        sessions.push(fleet.submit(&api, alert_type).await);
        wait::until("the stage's job", SOON, async || {
            count(&fleet, REQUIRED, word).await == 1
        })
        .await;
        assert_eq!(count(&fleet, STORED, word).await, 1, "{word}");
    }
    // Simulates jobs written by a statement without requirements.
    sqlx::query("update jobs set requires = null where kind = 'stage'")
        .execute(fleet.rows.pool())
        .await
        .unwrap();
    let other = fleet
        .program("stage-worker")
        .env("AGENT_CONFIG_FILE", OTHER);
    let _other = other.start().unwrap();
    for (_, word) in words {
        wait::until("it to be left", SOON, async || {
            count(&fleet, REQUIRED, word).await == 1
        })
        .await;
    }
    assert_eq!(fleet.llm.count(), 0);
    let _stage = fleet.stage_worker();
    for session in sessions {
        let concluded = analysis(&fleet, session).await;
        assert_eq!(concluded.as_deref(), Some("one was read"));
    }
}
