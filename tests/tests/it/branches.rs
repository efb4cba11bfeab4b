//! Branches of a stage run concurrently and are joined once, no matter which process dies.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON};
use uuid::Uuid;

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/branches.yaml");

const AGENTS: [&str; 4] = ["triage", "logs", "cluster", "synthesis"];

fn who(request: &SeenRequest) -> &'static str {
    let is = |agent: &&&str| request.contains(&format!("You are the {agent}."));
    AGENTS.iter().find(is).copied().unwrap_or("nobody")
}

/// A model that holds its answers to branches.
fn model(request: &SeenRequest) -> Behaviour {
    match who(request) {
        "triage" => Behaviour::text("db-1 db-2"),
        agent => Behaviour::Held(FakeAnswer::text(format!("Said by the {agent}."))),
    }
}

/// Creates a fleet whose branches run until the test releases the model's answers.
async fn holding() -> Fleet {
    Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG)
}

async fn fleet() -> Fleet {
    let fleet = holding().await;
    fleet.llm.release();
    fleet
}

async fn three_branches_run(fleet: &Fleet) {
    wait::until("three branches run", SOON, async || {
        let requests = fleet.llm.requests();
        let branches = requests
            .iter()
            .filter(|one| matches!(who(one), "logs" | "cluster"));
        branches.count() == 3
    })
    .await;
}

/// Returns stage, branch, attempt and status of each row of a session.
async fn rows(fleet: &Fleet, session: Uuid) -> Vec<String> {
    sqlx::query_scalar(
        "select concat_ws(' ', stage_name, branch_name, attempt, status) from stage_executions
         where session_id = $1 order by stage_index, attempt",
    )
    .bind(session)
    .fetch_all(fleet.rows.pool())
    .await
    .unwrap()
}

const WHOLE: [&str; 5] = [
    "triage 1 completed",
    "evidence Logs 1 completed",
    "evidence Cluster-1 2 completed",
    "evidence Cluster-2 3 completed",
    "synthesis 1 completed",
];

#[tokio::test(flavor = "multi_thread")]
async fn branches_run_side_by_side_and_the_next_stage_reads_all_of_them() {
    let fleet = holding().await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Branches").await;
    three_branches_run(&fleet).await;
    fleet.llm.release();
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        (ended.outcome.as_deref(), ended.final_analysis.as_deref()),
        (Some("completed"), Some("Said by the synthesis.")),
        "{ended:?}"
    );
    assert_eq!(rows(&fleet, session).await, WHOLE);
    let overlap = fleet
        .rows
        .count(
            "select count(*) from stage_executions a join stage_executions b using (session_id, stage_index)
             where a.branch < b.branch and a.started_at_us < b.completed_at_us and b.started_at_us < a.completed_at_us",
        )
        .await;
    assert_eq!(overlap, 3, "each two overlap");
    let requests = fleet.llm.requests();
    let synthesis = requests.iter().find(|r| who(r) == "synthesis").unwrap();
    for expected in [
        "### evidence (completed, by Logs, Cluster)",
        "#### Cluster-2 (completed)",
        "Said by the logs.",
    ] {
        assert!(synthesis.contains(expected), "{expected}");
    }
    let known = "select count(*) from stage_executions join stage_configurations using (configuration_hash)";
    assert_eq!(fleet.rows.count(known).await, 5);
    let kept = "select count(*) from stage_configurations";
    assert_eq!(fleet.rows.count(kept).await, 4, "one for each agent");
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_an_earlier_stage_gives_a_branch_for_each_item() {
    let fleet = fleet().await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Each").await;
    fleet.rows.ended(session, SOON).await;
    assert_eq!(
        rows(&fleet, session).await,
        [
            "triage 1 completed",
            "words db-1 1 completed",
            "words db-2 2 completed",
            "synthesis 1 completed"
        ]
    );
    let requests = fleet.llm.requests();
    let of_item = |item: &str| {
        let about = "about this item alone:";
        requests
            .iter()
            .any(|r| who(r) == "logs" && r.contains(about) && r.contains(item))
    };
    assert!(of_item("db-1") && of_item("db-2"));
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_killed_during_branches_cost_nothing_but_time() {
    let fleet = holding().await;
    let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
    let first = fleet.stage_worker();
    let session = fleet.submit(&ingest, "Branches").await;
    three_branches_run(&fleet).await;
    chain.kill();
    first.kill();
    fleet.llm.release();
    let (_chain, _stage) = (fleet.chain_worker(), fleet.stage_worker());
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert_eq!(rows(&fleet, session).await, WHOLE);
    fleet.assert_sound().await;
}

/// The join starts once, no matter where the worker that starts it dies. That is the stage worker of the last branch,
/// or a chain worker if the join has a condition. Each of them has started one stage before.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_at_the_fan_in_starts_the_join_once() {
    let commits = ["chain.start.before_commit:2", "chain.start.after_commit:2"];
    let roles = [
        ("Branches", "stage-worker", "chain-worker"),
        ("Conditional", "chain-worker", "stage-worker"),
    ];
    for ((alert, victim, other), point) in roles
        .into_iter()
        .flat_map(|role| commits.map(|point| (role, point)))
    {
        let at = format!("{point} in {victim}");
        let fleet = fleet().await;
        let ingest = fleet.ingest().await;
        let _other = fleet.program(other).start().unwrap();
        let armed = fleet.program(victim).env("TARSY_CRASH_AT", point);
        let armed = armed.start().unwrap();
        let session = fleet.submit(&ingest, alert).await;
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{at}: {status}");
        let _next = fleet.program(victim).start().unwrap();
        let ended = fleet.rows.ended(session, SOON).await;
        assert_eq!(
            ended.outcome.as_deref(),
            Some("completed"),
            "{at}: {ended:?}"
        );
        assert_eq!(rows(&fleet, session).await, WHOLE, "{at}");
        fleet.assert_sound_after(&at).await;
    }
}

/// A worker of the previous version inserts an attempt without branches. The row is refused if the attempt exists
/// already. Otherwise, it is the whole stage.
#[tokio::test(flavor = "multi_thread")]
async fn workers_of_the_version_before_insert_next_to_branches() {
    const OLD: &str = "insert into stage_executions
            (execution_id, session_id, stage_index, stage_name, agent, pool, attempt, round, timeout_ms)
        select gen_random_uuid(), $1, 1, 'evidence', 'Logs', 'default', $2, 0, 1000
        on conflict (session_id, stage_index, attempt) do nothing";
    let fleet = fleet().await;
    let (ingest, _chain, _stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "Branches").await;
    fleet.rows.ended(session, SOON).await;
    let insert = async |attempt: i32| {
        let query = sqlx::query(OLD).bind(session).bind(attempt);
        query
            .execute(fleet.rows.pool())
            .await
            .unwrap()
            .rows_affected()
    };
    for there in 1..=3 {
        assert_eq!(insert(there).await, 0, "attempt {there} is there");
    }
    assert_eq!(insert(4).await, 1);
    let current = "select count(*) from alert_sessions s, current_stages(s.session_id) c where c.stage_index = 1";
    assert_eq!(fleet.rows.count(current).await, 1, "it is the whole stage");
}
