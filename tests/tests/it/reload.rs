//! The configuration is reloaded while the fleet works.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, SeenRequest};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Alert, Fleet, Ingest, SOON, ops, scene};
use tempfile::TempDir;

/// The configuration of the fleet's tests.
const FLEET: &str = include_str!("../../config/fleet.yaml");

/// Number of sessions in progress during the reload.
const ALERTS: usize = 12;

/// A configuration file that a test rewrites.
struct File {
    path: PathBuf,
    _folder: TempDir,
}

impl File {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agents.yaml");
        fs::write(&path, FLEET).unwrap();
        Self {
            path,
            _folder: folder,
        }
    }

    /// Writes the file in place, like some editors.
    fn write(&self, text: &str) {
        fs::write(&self.path, text).unwrap();
    }

    async fn fleet(
        &self,
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Fleet {
        let fleet = Fleet::new(model).await;
        fleet.with("AGENT_CONFIG_FILE", self.path.display().to_string())
    }
}

/// Returns the configuration with one more agent, and a chain for alert type `Fresh`.
fn with_an_agent() -> String {
    let agent = "agents:\n  Fresh:\n    iteration_strategy: react-final-analysis\n";
    let chain = "agent_chains:\n  fresh:\n    alert_types: [Fresh]\n    stages:\n      - {name: look, agent: Fresh}\n";
    let text = FLEET.replacen("agents:\n", agent, 1);
    text.replacen("agent_chains:\n", chain, 1)
}

/// A model with a delay for each answer, so that there is always work in progress.
fn thoughtful(request: &SeenRequest) -> Behaviour {
    match scene::play(request) {
        Behaviour::Answer(answer) => Behaviour::Answer(FakeAnswer {
            delay_ms: 150,
            ..answer
        }),
        other => other,
    }
}

/// Waits until every worker's row names the configuration with this text.
async fn all_run(fleet: &Fleet, text: &str) {
    wait::until("all workers to run the configuration", SOON, async || {
        let same = "select coalesce(bool_and(config_hash = encode(sha256(convert_to($1, 'UTF8')), 'hex')), false) from workers";
        let same: bool = sqlx::query_scalar(same).bind(text).fetch_one(fleet.rows.pool()).await.unwrap();
        same
    })
    .await;
}

/// Returns the number of live processes that a process has started.
fn children(pid: u32) -> usize {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}

async fn answers(ingest: &Ingest, path: &str) -> String {
    let response = reqwest::get(format!("{}{path}", ingest.url)).await.unwrap();
    response.text().await.unwrap()
}

/// Waits until the API accepts alerts for the new chain.
async fn knows_fresh(ingest: &Ingest) {
    wait::until("the API to know the new alert type", SOON, async || {
        answers(ingest, "/alert-types").await.contains("Fresh")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hang_up_brings_an_agent_while_stages_run_and_none_is_lost() {
    let file = File::new();
    let fleet = file.fleet(thoughtful).await.with("TARSY_CONFIG_POLL", "0s");
    fleet.rows.watch_counts().await;
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    all_run(&fleet, FLEET).await;
    assert!(!answers(&ingest, "/alert-types").await.contains("Fresh"));
    let alerts: Vec<_> = (0..ALERTS).map(|_| Alert::new("CheckoutDown")).collect();
    futures::future::join_all(alerts.iter().map(|alert| fleet.post(&ingest, alert))).await;
    wait::until("work in the middle", SOON, async || fleet.llm.count() > 10).await;

    let text = with_an_agent();
    file.write(&text);
    for process in [&ingest.process, &chain, &stage] {
        process.hang_up();
        process.printed("was loaded again", SOON).await;
    }
    all_run(&fleet, &text).await;
    knows_fresh(&ingest).await;
    let session = fleet.submit(&ingest, "Fresh").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    let offering =
        "select count(*) from workers where role = 'stage-worker' and 'agent:Fresh' = any(offers)";
    assert_eq!(fleet.rows.count(offering).await, 1);
    assert!(
        answers(&ingest, "/api/v1/admin/workers")
            .await
            .contains("config_since_us")
    );

    fleet.rows.all_ended(SOON).await;
    // The MCP server of the previous configuration has ended with its last stage.
    wait::until("one MCP server to be left", SOON, async || {
        children(stage.id()) == 1
    })
    .await;
    let completed = "select count(*) from alert_sessions where outcome = 'completed'";
    assert_eq!(fleet.rows.count(completed).await, ALERTS as i64 + 1);
    assert_eq!(
        fleet.rows.counted().await,
        [],
        "attempts, crashes or snoozes were counted"
    );
    assert_eq!(fleet.llm.count(), ALERTS * scene::QUESTIONS + 1);
    assert_eq!(fleet.ledger.calls("restart_service"), ALERTS);
    fleet.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_mistakes_changes_nothing_and_their_positions_are_reported() {
    let file = File::new();
    let fleet = file
        .fleet(scene::play)
        .await
        .with("TARSY_CONFIG_POLL", "0s");
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    fleet.workers(2).await;
    file.write(&with_an_agent().replace("agent: Fresh", "agent: Frehs"));
    for process in [&ingest.process, &chain, &stage] {
        process.hang_up();
        let line = process.printed("configuration not loaded: ", SOON).await;
        assert!(
            line.contains("ERROR") && line.contains("config.line=") && line.contains("hint="),
            "{line}"
        );
        process.printed("goes on with the one it has", SOON).await;
    }
    let url = ops::url(&stage).await;
    let (_, metrics) = ops::get(&url, "/metrics").await.unwrap();
    for line in [
        r#"tarsy_config_reloads_total{result="failed"} 1"#,
        r#"tarsy_config_reloads_total{result="ok"} 0"#,
        "tarsy_config_last_reload_successful 0",
    ] {
        assert!(
            metrics.lines().any(|one| one == line),
            "{line} in\n{metrics}"
        );
    }
    all_run(&fleet, FLEET).await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert!(
        [&ingest.process, &chain, &stage]
            .into_iter()
            .all(Process::is_running)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_loaded_and_changes_what_is_logged() {
    let file = File::new();
    let fleet = file
        .fleet(scene::play)
        .await
        .with("TARSY_CONFIG_POLL", "50ms");
    let up = fleet.up().await;
    fleet.workers(2).await;
    let before = fleet.submit(&up, "ReportOnly").await;
    fleet.rows.ended(before, SOON).await;
    assert!(!up.process.log().contains("DEBUG"), "{}", up.process.log());

    let text = format!("log_level: debug\n{}", with_an_agent());
    file.write(&text);
    all_run(&fleet, &text).await;
    knows_fresh(&up).await;
    let session = fleet.submit(&up, "Fresh").await;
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    up.process.printed("DEBUG", SOON).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_a_process_starts_is_loaded() {
    let file = File::new();
    let fleet = file.fleet(scene::play).await;
    let fleet = fleet.with("TARSY_CONFIG_POLL", "50ms");
    // The process first reads a pipe, which ends only after another file has replaced it.
    let (new, text) = (file.path.with_extension("new"), with_an_agent());
    fs::write(&new, &text).unwrap();
    fs::remove_file(&file.path).unwrap();
    let pipe = Command::new("mkfifo").arg(&file.path).status().unwrap();
    assert!(pipe.success());
    let path = file.path.clone();
    let writing = tokio::task::spawn_blocking(move || {
        let mut pipe = fs::OpenOptions::new().write(true).open(&path).unwrap();
        pipe.write_all(FLEET.as_bytes()).unwrap();
        fs::rename(new, path).unwrap();
    });
    let stage = fleet.stage_worker();
    writing.await.unwrap();
    fleet.workers(1).await;
    all_run(&fleet, &text).await;
    stage.printed("the file has changed", SOON).await;
}
