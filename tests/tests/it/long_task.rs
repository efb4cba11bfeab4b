//! A tool call that its server runs as a task, whose worker is killed.

use serde_json::json;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::fake_tasks::FakeTaskServer;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, SOON};

const CALL: &str = "Thought: t\nAction: backups.run_backup\nAction Input: {}";

fn play(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => Behaviour::text(CALL),
        _ if request.last_text().contains("all 7 volumes are safe") => {
            Behaviour::text("Thought: done\nFinal Answer: The backup was made.")
        }
        _ => Behaviour::text("Thought: done\nFinal Answer: Nobody knows."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_worker_waits_for_the_task_and_calls_nothing_again() {
    let server = FakeTaskServer::start().await;
    let config = format!("{}/config/tasks.yaml", env!("CARGO_MANIFEST_DIR"));
    let fleet = Fleet::new(play)
        .await
        .with("AGENT_CONFIG_FILE", config)
        .with("TARSY_TEST_TASKS_URL", server.url());
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let worker = fleet.stage_worker();
    let alert = json!({"alert_type": "BackupMissing", "runbook": "local:checkout.md", "data": {"volume": "a"}});
    let session = fleet.submit_body(&ingest, &alert).await;
    wait::until("the task to be noted", SOON, async || {
        let noted =
            "select count(*) from mcp_interactions where task_id = 'task-1' and success is null";
        fleet.rows.count(noted).await == 1
    })
    .await;
    worker.kill();
    let _next = fleet.stage_worker();
    let asked = server.asked("task-1");
    wait::until("the next worker to ask for the task", SOON, async || {
        fleet
            .rows
            .count("select count(*) from stage_executions where crash_count = 1")
            .await
            == 1
            && server.asked("task-1") > asked + 1
    })
    .await;

    server.finish("task-1", "all 7 volumes are safe");
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(
        ended.final_analysis.as_deref(),
        Some("The backup was made."),
        "{ended:?}"
    );
    assert_eq!(server.called(), ["run_backup"], "called once");
    assert_eq!(server.cancelled(), [""; 0]);
    fleet.assert_sound().await;
}
