//! Chains as graphs: parallel stages, conditions, joins.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON, crash_points};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/graph.yaml");

/// Agents of the chain, by the names in their instructions.
const AGENTS: [&str; 6] = [
    "triage",
    "logs",
    "metrics",
    "cluster",
    "detail",
    "synthesis",
];

fn who(request: &SeenRequest) -> &'static str {
    let is = |agent: &&&str| request.contains(&format!("You are the {agent}."));
    AGENTS.iter().find(is).copied().unwrap_or("nobody")
}

/// Creates a fleet whose triage answers `found`, and whose branches run until the test releases the model's answers.
async fn holding(found: &'static str) -> Fleet {
    let model = move |request: &SeenRequest| match who(request) {
        "triage" => Behaviour::text(found),
        agent => Behaviour::Held(FakeAnswer::text(format!("Said by the {agent}."))),
    };
    Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG)
}

async fn fleet(found: &'static str) -> Fleet {
    let fleet = holding(found).await;
    fleet.llm.release();
    fleet
}

/// Waits until these branches have called the model, which holds its answers.
async fn run_side_by_side(fleet: &Fleet, branches: &[&str]) {
    wait::until("the branches run", SOON, async || {
        let requests = fleet.llm.requests();
        let has_request = |branch: &&str| requests.iter().any(|one| who(one) == *branch);
        branches.iter().all(has_request)
    })
    .await;
}

/// Returns status, start and end of a session's stages by name.
async fn stages(fleet: &Fleet, session: Uuid) -> BTreeMap<String, (String, Option<i64>, i64)> {
    let rows: Vec<(String, String, Option<i64>, i64)> = sqlx::query_as(
        "select stage_name, status::text, started_at_us, completed_at_us from stage_executions
         where session_id = $1 order by stage_index",
    )
    .bind(session)
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap();
    rows.into_iter()
        .map(|(name, status, started, completed)| (name, (status, started, completed)))
        .collect()
}

fn statuses(stages: &BTreeMap<String, (String, Option<i64>, i64)>) -> Vec<String> {
    let words = stages
        .iter()
        .map(|(name, (status, ..))| format!("{name} {status}"));
    words.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_run_side_by_side_and_what_a_condition_excludes_is_skipped() {
    let fleet = holding("Errors in the logs.").await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Graph").await;
    run_side_by_side(&fleet, &["logs", "metrics"]).await;
    fleet.llm.release();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        (
            &*ended.status,
            ended.outcome.as_deref(),
            ended.final_analysis.as_deref()
        ),
        (
            "completed",
            Some("completed"),
            Some("Said by the synthesis.")
        ),
        "{ended:?}"
    );
    let stages = stages(&fleet, session).await;
    assert_eq!(
        statuses(&stages),
        [
            "cluster skipped",
            "detail skipped",
            "log-detail completed",
            "logs completed",
            "metrics completed",
            "synthesis completed",
            "triage completed"
        ]
    );
    let (logs, metrics) = (&stages["logs"], &stages["metrics"]);
    assert!(
        logs.1 < Some(metrics.2) && metrics.1 < Some(logs.2),
        "the branches overlap: {stages:#?}"
    );
    fleet.assert_sound().await;

    let requests = fleet.llm.requests();
    let of = |agent: &str| {
        requests
            .iter()
            .find(|request| who(request) == agent)
            .unwrap()
    };
    let synthesis = of("synthesis");
    assert!(
        synthesis.contains("Said by the metrics.") && synthesis.contains("Said by the detail.")
    );
    assert!(
        !of("metrics").contains("Said by the logs."),
        "a branch sees what it needs, no other"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_that_holds_runs_its_stage_and_what_needs_it() {
    let fleet = fleet("Something in the cluster.").await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Graph").await;
    fleet.rows.ended(session, SOON).await;
    let stages = stages(&fleet, session).await;
    assert!(
        statuses(&stages)
            .iter()
            .all(|stage| stage.ends_with("completed")),
        "{stages:#?}"
    );
    assert_eq!(stages.len(), 7);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_killed_in_the_middle_of_branches_costs_nothing_but_time() {
    let fleet = holding("Something in the cluster.").await;
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    let first = fleet.stage_worker();
    let session = fleet.submit(&ingest, "Graph").await;
    run_side_by_side(&fleet, &["logs", "metrics", "cluster"]).await;
    chain.kill();
    first.kill();
    fleet.llm.release();
    let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        (ended.outcome.as_deref(), ended.final_analysis.as_deref()),
        (Some("completed"), Some("Said by the synthesis.")),
        "{ended:?}"
    );
    assert_eq!(stages(&fleet, session).await.len(), 7);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_while_it_skips_stages_skips_each_once() {
    let points = crash_points().into_iter().map(|point| point.name);
    let points: Vec<String> = points
        .filter(|name| name.starts_with("chain.settle."))
        .collect();
    assert_eq!(points.len(), 2, "{points:?}");
    for point in points {
        let fleet = fleet("Errors in the logs.").await;
        let (ingest, _stage) = (fleet.ingest().await, fleet.stage_worker());
        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", &point);
        let armed = armed.start().unwrap();
        let session = fleet.submit(&ingest, "Graph").await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let _chain = fleet.chain_worker();
        let ended = fleet.rows.ended(session, SOON).await;
        assert_eq!(
            ended.outcome.as_deref(),
            Some("completed"),
            "{point}: {ended:?}"
        );
        let stages = stages(&fleet, session).await;
        assert_eq!(
            (&*stages["cluster"].0, &*stages["detail"].0),
            ("skipped", "skipped")
        );
        fleet.assert_sound_after(&point).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_worker_killed_while_it_gives_a_session_up_leaves_no_live_branch() {
    let points = crash_points().into_iter().map(|point| point.name);
    let points: Vec<String> = points
        .filter(|name| name.starts_with("chain.give_up."))
        .collect();
    assert_eq!(points.len(), 2, "{points:?}");
    for point in points {
        let fleet = holding("Something in the cluster.").await;
        let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
        let _stage = fleet.stage_worker();
        let session = fleet.submit(&ingest, "Graph").await;
        run_side_by_side(&fleet, &["logs", "metrics", "cluster"]).await;
        chain.kill();
        // Then no version can read the chain.
        sqlx::query("update alert_sessions set chain_definition = '{\"stages\": []}'")
            .execute(fleet.rows.pool())
            .await
            .unwrap();
        fleet.llm.release();
        let armed = fleet.program("chain-worker").env("TARSY_CRASH_AT", &point);
        let status = armed.start().unwrap().ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let _chain = fleet.chain_worker();
        let ended = fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.status, "failed", "{point}: {ended:?}");
        wait::until("the jobs to end", SOON, async || {
            fleet.rows.count("select count(*) from jobs").await == 0
        })
        .await;
        let live = "select count(*) from stage_executions where status in ('pending', 'active', 'waiting')";
        assert_eq!(fleet.rows.count(live).await, 0, "{point}");
        let published = "select count(*) from events where kind like 'session%' and payload ->> 'status' = 'failed'";
        assert_eq!(fleet.rows.count(published).await, 1, "{point}");
    }
}
