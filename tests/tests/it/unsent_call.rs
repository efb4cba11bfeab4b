//! A worker can't send a tool call that changes something, because it can't open more files.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::{Arc, OnceLock};

use tarsy_testing::fake_llm::SeenRequest;
use tarsy_testing::process::{Process, Program};
use tarsy_testing::wait;
use tarsy_tests::SOON;

use crate::long_task::{Scene, play};

/// Number of files that every process has open: its standard streams, and the file with which it waits for events.
const NO_MORE: u64 = 4;

/// A session whose first worker may open no more files after the model has asked for the call.
struct Short {
    scene: Scene,
    worker: Arc<OnceLock<Process>>,
}

impl Short {
    async fn new(arm: impl FnOnce(Program) -> Program) -> Self {
        let worker: Arc<OnceLock<Process>> = Arc::default();
        let victim = Arc::clone(&worker);
        let scene = Scene::with(move |request: &SeenRequest| {
            if request.assistant_turns() == 0
                && let Some(victim) = victim.get()
            {
                victim.limit_files(NO_MORE);
            }
            play(request)
        })
        .await;
        scene.server.finish("task-1", "all 7 volumes are safe");
        let started = arm(scene.fleet.program("stage-worker")).start();
        assert!(worker.set(started.expect("a worker")).is_ok());
        scene.fleet.rows.watch_counts().await;
        scene.submit().await;
        Self { scene, worker }
    }

    fn worker(&self) -> &Process {
        self.worker.get().expect("it was started")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_made_once_by_another_worker_and_has_not_failed() {
    let short = Short::new(|program| program).await;
    let rows = &short.scene.fleet.rows;
    wait::until("the stage to be given back", SOON, async || {
        let given_back =
            "select count(*) from jobs where kind = 'stage' and state = 'ready' and epoch > 0
            and not exists (select from mcp_interactions where tool_name = 'run_backup')";
        rows.count(given_back).await == 1
    })
    .await;
    assert!(short.worker().is_running());
    assert_eq!(short.scene.server.called(), [""; 0]);
    let _healthy = short.scene.fleet.stage_worker();
    short.scene.ends_with("The backup was made.").await;
    let failed = "select count(*) from mcp_interactions where success is not true";
    assert_eq!(rows.count(failed).await, 0);
    assert_eq!(rows.counted().await, [], "that is no failure");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_of_unknown_outcome_if_the_worker_dies_before_it_is_taken_back() {
    for (point, answer, calls) in [
        ("stage.withdraw.before_commit", "Nobody knows.", 0),
        ("stage.withdraw.after_commit", "The backup was made.", 1),
    ] {
        let short = Short::new(|program| program.env("TARSY_CRASH_AT", point)).await;
        let status = short.worker().ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        let _next = short.scene.fleet.stage_worker();
        short.scene.answers(answer).await;
        assert_eq!(short.scene.server.called().len(), calls, "{point}");
    }
}
