//! The demonstration's graph: a collection, three concurrent agents, a report, a gate that a scripted operator opens,
//! and one destructive call. Killing any process at any moment changes only the duration.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tarsy_testing::process::{Process, Program, binary};
use tarsy_testing::wait;
use tarsy_tests::{Fleet, Ingest, SOON, scene};
use tempfile::TempDir;
use uuid::Uuid;

/// Number of concurrent sessions. Each is at a different place of its chain when a process is killed.
const SIDE_BY_SIDE: usize = 4;
/// Number of events of all sessions between two kills. In total, they have some 120.
const EVENTS_BETWEEN_KILLS: i64 = 17;
/// Number of rounds of sessions. In each round, the kills come a little later.
const ROUNDS: i64 = 4;

/// A process that is killed and replaced.
#[derive(Debug, Clone, Copy)]
enum Victim {
    Ingest,
    Chain,
    Stage(usize),
}

const VICTIMS: [Victim; 5] = [
    Victim::Stage(0),
    Victim::Chain,
    Victim::Stage(1),
    Victim::Ingest,
    Victim::Stage(0),
];

struct Demo {
    fleet: Fleet,
    root: PathBuf,
    ingest: Ingest,
    chain: Process,
    stages: [Process; 2],
    _folder: TempDir,
}

impl Demo {
    async fn start() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = quick_config(&root, folder.path());
        let fleet = Fleet::new(scene::play).await;
        let fleet = fleet
            .with("AGENT_CONFIG_FILE", config.display().to_string())
            .with("DEFAULT_LLM_PROVIDER", "scripted")
            .with(
                "TARSY_DEMO_MCP",
                binary("tarsy-demo-mcp").display().to_string(),
            );
        let program = |name: &str| fleet.program(name).current_dir(&root);
        Self {
            ingest: fleet.ingest_with(program("ingest-api")).await,
            chain: program("chain-worker").start().unwrap(),
            stages: [0, 1].map(|_| program("stage-worker").start().unwrap()),
            root,
            fleet,
            _folder: folder,
        }
    }

    fn program(&self, name: &str) -> Program {
        self.fleet.program(name).current_dir(&self.root)
    }

    async fn submit(&self) -> Uuid {
        let alert = std::fs::read_to_string(self.root.join("deploy/demo/alert.json")).unwrap();
        let mut alert: Value = serde_json::from_str(&alert).unwrap();
        // Otherwise, it would be a duplicate of a concurrent session.
        alert["data"]["incident"] = json!(Uuid::now_v7());
        self.fleet.submit_body(&self.ingest, &alert).await
    }

    /// Sends SIGKILL to a process and starts a replacement.
    async fn kill(&mut self, victim: Victim) {
        let stage = self.program("stage-worker");
        match victim {
            Victim::Ingest => {
                self.ingest.process.kill();
                self.ingest = self.fleet.ingest_with(self.program("ingest-api")).await;
            }
            Victim::Chain => {
                self.chain.kill();
                self.chain = self.program("chain-worker").start().unwrap();
            }
            Victim::Stage(which) => {
                self.stages[which].kill();
                self.stages[which] = stage.start().unwrap();
            }
        }
    }

    /// Scripted operator that approves every open approval.
    async fn approve_all(&self) {
        let open = "select wait_id from waits where sort = 'approval' and decision is null";
        let open: Vec<Uuid> = sqlx::query_scalar(open)
            .fetch_all(self.fleet.rows.pool())
            .await
            .unwrap();
        for wait in open {
            let url = format!("{}/api/v1/approvals/{wait}", self.ingest.url);
            let body = json!({"decision": "approve", "reason": "the scripted operator approves everything"});
            // Ignores errors: if the API was killed, the next round repeats the request; a decided wait refuses it.
            let _ = reqwest::Client::new().post(url).json(&body).send().await;
        }
    }

    async fn events(&self) -> i64 {
        self.fleet.rows.count("select count(*) from events").await
    }

    async fn all_have_ended(&self) -> bool {
        let live = "select count(*) from alert_sessions where completed_at_us is null";
        self.fleet.rows.count(live).await == 0
    }

    /// Approves until all sessions have ended, or `until` returns true.
    async fn work(&self, until: impl AsyncFn() -> bool) {
        wait::until("the sessions to go on", SOON * 2, async || {
            self.approve_all().await;
            self.all_have_ended().await || until().await
        })
        .await;
    }

    /// Returns name, attempt, status and result of each stage, and the analysis. Results omit the quoted calls, because
    /// the database returns the members of their arguments in another order.
    async fn outcome(&self, session: Uuid) -> Vec<String> {
        let mut rows: Vec<String> = sqlx::query_scalar(
            "select concat_ws(' ', stage_name, attempt, status, split_part(stage_output ->> 'result', '## Collected Data', 1))
             from stage_executions where session_id = $1 order by stage_index, attempt",
        )
        .bind(session)
        .fetch_all(self.fleet.rows.pool())
        .await
        .unwrap();
        let ended = self.fleet.rows.session(session).await;
        rows.push(format!(
            "{} {:?} {:?}",
            ended.status, ended.outcome, ended.final_analysis
        ));
        rows
    }

    /// Returns the results of calls that delete something. Each call is made at most once.
    async fn deletions(&self, session: Uuid) -> Vec<Option<Value>> {
        sqlx::query_scalar(
            "select tool_result from mcp_interactions where session_id = $1 and tool_name = 'resources_delete'",
        )
        .bind(session)
        .fetch_all(self.fleet.rows.pool())
        .await
        .unwrap()
    }
}

/// Writes the demonstration's configuration with a model without delays.
fn quick_config(root: &Path, folder: &Path) -> PathBuf {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let script = read("deploy/demo/script.yaml");
    let script: Vec<String> = script
        .lines()
        .map(|line| match line.trim_start().starts_with("delay_ms:") {
            true => "      delay_ms: 30".to_owned(),
            false => line.to_owned(),
        })
        .collect();
    let path = folder.join("script.yaml");
    std::fs::write(&path, script.join("\n")).unwrap();
    let config = read("config/demo.yaml");
    let config = config.replace("deploy/demo/script.yaml", &path.display().to_string());
    let path = folder.join("demo.yaml");
    std::fs::write(&path, config).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn killing_any_process_at_any_moment_changes_nothing_but_the_time() {
    let mut demo = Demo::start().await;
    let undisturbed = demo.submit().await;
    demo.work(async || false).await;
    let expected = demo.outcome(undisturbed).await;
    assert_eq!(expected.len(), 8, "seven stages and the end: {expected:#?}");
    assert!(
        expected.iter().all(|row| row.contains("completed")),
        "{expected:#?}"
    );
    let deleted = demo.deletions(undisturbed).await;
    assert_eq!(deleted.len(), 1, "one destructive call: {deleted:?}");

    let mut victims = VICTIMS.into_iter().cycle();
    let (mut kills, mut lost) = (0, 0);
    for round in 0..ROUNDS {
        let mut sessions = Vec::new();
        for _ in 0..SIDE_BY_SIDE {
            sessions.push(demo.submit().await);
        }
        let mut next = demo.events().await + 5 + round * EVENTS_BETWEEN_KILLS / ROUNDS;
        while !demo.all_have_ended().await {
            demo.work(async || demo.events().await >= next).await;
            if !demo.all_have_ended().await {
                demo.kill(victims.next().unwrap()).await;
                kills += 1;
            }
            next += EVENTS_BETWEEN_KILLS;
        }
        for session in sessions {
            let outcome = demo.outcome(session).await;
            let calls = demo.deletions(session).await;
            assert_eq!(calls.len(), 1, "one destructive call: {calls:?}");
            if calls == deleted {
                assert_eq!(outcome, expected, "round {round}");
            } else {
                // The worker was killed between the record of the call and its result, so the agent reads that the
                // outcome is unknown.
                assert_eq!(outcome[..6], expected[..6], "round {round}");
                lost += 1;
            }
        }
        wait::until("the jobs to end", SOON, async || {
            demo.fleet.rows.count("select count(*) from jobs").await == 0
        })
        .await;
    }
    println!("{kills} kills; {lost} destructive calls whose answer was lost");
    assert!(
        kills > usize::try_from(ROUNDS).unwrap() * 3,
        "{kills} kills"
    );
    demo.fleet.assert_sound().await;
}
