//! `beyond: wait`: a stage beyond a limit asks a person.

use serde_json::json;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

use super::{classes, priced, stages};
use crate::waits::{decide, pending_approval};

/// A call costs a dollar. Chain `asks` may make one call a day and then asks. The fleet makes at most five, even with
/// approvals.
const CONFIG: &str = "
agents:
  Priced: {iteration_strategy: react-final-analysis, custom_instructions: You are priced.}
  Other: {iteration_strategy: react-final-analysis, custom_instructions: You are priced.}
agent_chains:
  asks:
    alert_types: [Asks]
    spending: {cost_per_day: 1.0, beyond: wait, expires: EXPIRES}
    stages:
      - {name: one, agent: Priced}
      - {name: two, agents: [{agent: Priced}, {agent: Other}]}
      - {name: three, agent: Priced}
  free:
    alert_types: [Free]
    stages:
      - {name: only, agent: Priced}
spending: {cost_per_day: 5.0}
llm_providers:
  priced:
    type: scripted
    script: SCRIPT_FILE
    price: {input_per_million: 1000.0, output_per_million: 0.0}
default_llm_provider: priced
";

async fn open_waits(fleet: &Fleet, count: i64) {
    let open = "select count(*) from waits where sort = 'spending' and decision is null";
    wait::until("it is asked", SOON, async || {
        fleet.rows.count(open).await == count
    })
    .await;
}

/// Returns the reason why no stage of a session began.
async fn refused(fleet: &Fleet, session: Uuid) -> String {
    fleet.rows.ended(session, SOON).await;
    let stages = stages(fleet, session).await;
    assert_eq!(classes(&stages), ["budget"; 4], "{stages:?}");
    assert!(
        stages.iter().all(|stage| stage.2 == stages[0].2),
        "{stages:?}"
    );
    stages[0].2.clone().unwrap()
}

async fn approval(api: &Ingest, session: Uuid) -> serde_json::Value {
    let approval = pending_approval(api, session).await;
    assert_eq!(
        (&approval["sort"], &approval["role"], &approval["call"]),
        (&json!("spending"), &json!("operator"), &json!(null))
    );
    approval
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_continues_beyond_a_limit_if_a_person_lets_it() {
    let (fleet, _folder) = priced(&CONFIG.replace("EXPIRES", "1h")).await;
    let (api, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let stage = fleet.stage_worker();
    fleet.workers(2).await;

    // Both branches ask. One decision is for the whole session, so there is no question about its last stage.
    let session = fleet.submit(&api, "Asks").await;
    open_waits(&fleet, 2).await;
    let question = approval(&api, session).await;
    let text = question["question"].as_str().unwrap();
    assert!(
        text.starts_with("Stage `two` is beyond a spending limit: chain `asks` spent $1.00 of its $1.00 for today"),
        "{text}"
    );
    stage.kill();
    assert_eq!(decide(&api, &question, "approve").await.0, 200);
    let _stage = fleet.stage_worker();
    fleet.rows.ended(session, SOON).await;
    let of_first = stages(&fleet, session).await;
    assert_eq!(classes(&of_first), ["completed"; 4], "{of_first:?}");
    let model_calls = "select count(*) from llm_interactions";
    assert_eq!(fleet.rows.count(model_calls).await, 4);

    let denied = fleet.submit(&api, "Asks").await;
    let question = approval(&api, denied).await;
    assert_eq!(decide(&api, &question, "deny").await.0, 200);
    let reason = refused(&fleet, denied).await;
    assert!(
        reason.contains("Denied by ") && reason.ends_with(": a test"),
        "{reason}"
    );

    // There is no question about a limit that can't be exceeded by approval.
    let free = fleet.submit(&api, "Free").await;
    fleet.rows.ended(free, SOON).await;
    let last = fleet.submit(&api, "Asks").await;
    let reason = refused(&fleet, last).await;
    assert!(
        reason.starts_with("the fleet spent $5.00 of its $5.00"),
        "{reason}"
    );
    assert_eq!(fleet.rows.count(model_calls).await, 5);
    assert_eq!(fleet.rows.count("select count(*) from waits").await, 3);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_beyond_a_limit_fails_without_a_decision() {
    let (fleet, _folder) = priced(&CONFIG.replace("EXPIRES", "1s")).await;
    let (api, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&api, "Asks").await;
    fleet.rows.ended(session, SOON).await;
    let of_session = stages(&fleet, session).await;
    assert_eq!(
        classes(&of_session),
        ["completed", "budget", "budget", "budget"],
        "{of_session:?}"
    );
    let reason = of_session[1].2.clone().unwrap();
    assert!(reason.ends_with("Nobody decided in time."), "{reason}");
    let waits = "select count(*) from waits";
    assert_eq!(fleet.rows.count(waits).await, 2, "later stages don't ask");

    // A replay asks again.
    let path = format!(
        "{}/api/v1/admin/sessions/{session}/stages/1/replay",
        api.url
    );
    let replay = reqwest::Client::new()
        .post(path)
        .json(&json!({"reason": "a test"}));
    let answer = replay.send().await.unwrap();
    assert!(answer.status().is_success(), "{answer:?}");
    fleet.rows.ended(session, SOON).await;
    assert_eq!(fleet.rows.count(waits).await, 4);
}
