//! Kills a worker at every commit point of a chain with a stage of every kind: a question, a tool call, a function, a wait.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;

use futures::StreamExt as _;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Role, SOON, crash_points};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/kinds.yaml");

/// Points that the chain passes. Others are those of what happens around chains.
const PASSED: [&str; 8] = [
    "stage.begin.",
    "stage.configuration.",
    "stage.finish.",
    "record.",
    "chain.start.",
    "chain.wait.",
    "chain.expire.",
    "chain.finish.",
];

/// Sweeps at the same time, each with fleets of its own.
const SIDE_BY_SIDE: usize = 4;

/// Above the number of passes of any point.
const MANY: usize = 12;

const STAGES: [&str; 5] = ["triage", "restart", "pack", "pause", "report"];

fn model(request: &SeenRequest) -> Behaviour {
    match request.contains("You are the triage.") {
        true => Behaviour::text(r#"{"service": "checkout"}"#),
        false => Behaviour::text("Said by the reporter."),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_in_a_stage_of_any_kind_loses_and_doubles_nothing() {
    let points = crash_points()
        .into_iter()
        .filter(|point| PASSED.iter().any(|prefix| point.name.starts_with(prefix)));
    let sweeps = points.flat_map(|point| {
        let roles = point.roles.clone().into_iter();
        roles.map(move |role| (point.name.clone(), role))
    });
    let swept: BTreeMap<String, usize> = futures::stream::iter(sweeps)
        .map(|(name, role)| async move {
            let kills = sweep(&name, role).await;
            (format!("{name} in {role:?}"), kills)
        })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect()
        .await;
    println!("kills by point: {swept:#?}");
    let missed: Vec<&String> = swept
        .iter()
        .filter(|(_, kills)| **kills == 0)
        .map(|(name, _)| name)
        .collect();
    assert!(
        missed.is_empty(),
        "points that no worker was killed at: {missed:?}"
    );
}

/// Kills at each pass of a point in turn; returns how often there was somebody to kill.
async fn sweep(name: &str, role: Role) -> usize {
    for pass in 1..MANY {
        if !kill_at(name, role, pass).await {
            return pass - 1;
        }
    }
    panic!("{name} has more than {MANY} passes");
}

async fn kill_at(name: &str, role: Role, pass: usize) -> bool {
    let at = format!("{name}:{pass} in {role:?}");
    let fleet = Fleet::new(model).await.with("AGENT_CONFIG_FILE", CONFIG);
    let api = fleet.ingest().await;
    let (armed, _beside) = match role {
        Role::Chain => ("chain-worker", fleet.stage_worker()),
        Role::Stage => ("stage-worker", fleet.chain_worker()),
        Role::Ingest => panic!("{at}: a chain is run by workers"),
    };
    let victim = fleet.program(armed);
    let victim = victim.env("TARSY_CRASH_AT", format!("{name}:{pass}"));
    let victim = victim.start().unwrap();
    let session = fleet.submit(&api, "Kinds").await;
    let mut spare = None;
    let ended = wait::up_to(SOON, async || {
        if spare.is_none() && !victim.is_running() {
            spare = Some(fleet.program(armed).start().unwrap());
        }
        let row = fleet.rows.session(session).await;
        matches!(&*row.status, "completed" | "failed").then_some(row)
    });
    let ended = ended.await;
    let stages = fleet.rows.stages(session).await;
    let ended = ended.unwrap_or_else(|| panic!("{at}: not ended: {stages:#?}"));
    // The last commit and the point behind it are a moment apart.
    victim.terminate();
    let killed = victim.ended(SOON).await.signal() == Some(9);
    let _spare = spare.unwrap_or_else(|| fleet.program(armed).start().unwrap());
    wait::until("the jobs to end", SOON, async || {
        fleet.rows.count("select count(*) from jobs").await == 0
    })
    .await;

    assert_eq!(
        (&*ended.status, ended.final_analysis.as_deref()),
        ("completed", Some("Said by the reporter.")),
        "{at}: {stages:#?}"
    );
    let names: Vec<&str> = stages.iter().map(|stage| &*stage.stage_name).collect();
    assert_eq!(names, STAGES, "{at}");
    // A change of the world is made at most once. If its worker died in between, nobody knows whether it was made: the stage has failed.
    let in_call = [
        "record.begin_mcp.after_commit",
        "record.finish_mcp.before_commit",
    ];
    let is_unknown = killed && in_call.contains(&name);
    let never_sent = killed && name == "record.begin_mcp.after_commit";
    let restarts = fleet.ledger.calls("restart_service");
    assert!(
        restarts == 1 || restarts == 0 && never_sent,
        "{at}: {restarts} restarts"
    );
    for stage in &stages {
        let is_failed = is_unknown && stage.stage_name == "restart";
        let expected = if is_failed { "failed" } else { "completed" };
        assert_eq!(stage.status, expected, "{at}: {stages:#?}");
    }
    // A recorded answer is never bought again; an unrecorded one, once.
    let answered = fleet
        .llm
        .requests()
        .into_iter()
        .filter(|r| r.answered)
        .count();
    let unrecorded = killed && name == "record.finish_llm.before_commit";
    assert_eq!(answered, 2 + usize::from(unrecorded), "{at}");
    fleet.assert_sound_after(&at).await;
    killed
}
