//! The worker is killed during a tool call that the MCP server runs as a task.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::OnceLock;

use serde_json::json;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::fake_tasks::FakeTaskServer;
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON};
use uuid::Uuid;

const CALL: &str = "Thought: t\nAction: backups.run_backup\nAction Input: {}";

pub(crate) fn play(request: &SeenRequest) -> Behaviour {
    match request.assistant_turns() {
        0 => Behaviour::text(CALL),
        _ if request.last_text().contains("all 7 volumes are safe") => {
            Behaviour::text("Thought: done\nFinal Answer: The backup was made.")
        }
        _ => Behaviour::text("Thought: done\nFinal Answer: Nobody knows."),
    }
}

/// A fleet with a session whose first tool call becomes the task `task-1`.
pub(crate) struct Scene {
    pub(crate) fleet: Fleet,
    pub(crate) server: FakeTaskServer,
    session: OnceLock<Uuid>,
    processes: (Ingest, Process),
}

impl Scene {
    async fn new() -> Self {
        let scene = Self::with(play).await;
        scene.submit().await;
        scene
    }

    /// Starts the fleet without the session.
    pub(crate) async fn with(
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        let server = FakeTaskServer::start().await;
        let config = format!("{}/config/tasks.yaml", env!("CARGO_MANIFEST_DIR"));
        let fleet = Fleet::new(model)
            .await
            .with("AGENT_CONFIG_FILE", config)
            .with("TARSY_TEST_TASKS_URL", server.url());
        let (ingest, chain) = (fleet.ingest().await, fleet.chain_worker());
        Self {
            fleet,
            server,
            session: OnceLock::new(),
            processes: (ingest, chain),
        }
    }

    pub(crate) async fn submit(&self) {
        let alert = json!({"alert_type": "BackupMissing", "runbook": "local:checkout.md", "data": {"volume": "a"}});
        let session = self.fleet.submit_body(&self.processes.0, &alert).await;
        assert!(self.session.set(session).is_ok(), "one session");
    }

    /// Asserts that the session ends with this answer, and that the tool was called once.
    pub(crate) async fn ends_with(&self, answer: &str) {
        self.answers(answer).await;
        assert_eq!(self.server.called(), ["run_backup"], "called once");
        assert_eq!(self.server.cancelled(), [""; 0]);
    }

    /// Asserts that the session ends with this answer.
    pub(crate) async fn answers(&self, answer: &str) {
        let session = *self.session.get().expect("a session");
        let ended = self.fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.final_analysis.as_deref(), Some(answer), "{ended:?}");
        self.fleet.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_worker_waits_for_the_task_and_calls_nothing_again() {
    let scene = Scene::new().await;
    let (rows, server) = (&scene.fleet.rows, &scene.server);
    let worker = scene.fleet.stage_worker();
    wait::until("the task to be noted", SOON, async || {
        let noted =
            "select count(*) from mcp_interactions where task_id = 'task-1' and success is null";
        rows.count(noted).await == 1
    })
    .await;
    worker.kill();
    let _next = scene.fleet.stage_worker();
    let polls = server.polls("task-1");
    wait::until("the next worker to ask for the task", SOON, async || {
        let taken = "select count(*) from stage_executions where crash_count = 1";
        rows.count(taken).await == 1 && server.polls("task-1") > polls + 1
    })
    .await;

    server.finish("task-1", "all 7 volumes are safe");
    scene.ends_with("The backup was made.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_was_not_noted_is_of_unknown_outcome() {
    for (point, answer) in [
        ("stage.note_task.before_commit", "Nobody knows."),
        ("stage.note_task.after_commit", "The backup was made."),
    ] {
        let scene = Scene::new().await;
        let armed = scene
            .fleet
            .program("stage-worker")
            .env("TARSY_CRASH_AT", point);
        let status = armed.start().unwrap().ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        scene.server.finish("task-1", "all 7 volumes are safe");
        let _next = scene.fleet.stage_worker();
        scene.ends_with(answer).await;
    }
}
