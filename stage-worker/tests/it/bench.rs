//! Sets up one stage for a worker process.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_model::{ExecutionId, IterationStrategy, Pool, RecordedInteraction, SessionId};
use tarsy_queue::NewJob;
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest, WireFormat};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::{TestDb, wait};
use tempfile::TempDir;

use crate::rows;

/// Maximum wait on a busy machine.
const SOON: Duration = Duration::from_secs(60);

pub(crate) const CONFIG: &str = r#"
mcp_servers:
  demo:
    connection_params:
      command: python3
      args: ["-S", "-E", "${MCP_SERVER}", "${MCP_FILES}"]
      env: {SERVER_TOKEN: "${SERVER_TOKEN}"}
agents:
  Watcher: {mcp_servers: [demo], iteration_strategy: regular}
agent_chains:
  watch: {alert_types: [Watch], stages: [{name: watch, agent: Watcher}]}
llm_providers:
  first: {type: openai, model: small, api_key_env: FIRST_KEY, base_url: "${LLM_URL}", fallbacks: [second]}
  second:
    type: openai
    model: big
    api_key_env: SECOND_KEY
    base_url: ${LLM_URL}
    price: {input_per_million: 10, output_per_million: 100}
default_llm_provider: first
"#;

/// Everything that a stage needs to be run by a worker process.
pub(crate) struct Bench {
    pub(crate) db: TestDb,
    pub(crate) llm: FakeLlm,
    pub(crate) files: TempDir,
    /// Strategy of the stage.
    pub(crate) strategy: IterationStrategy,
    environment: Vec<(String, String)>,
}

/// A stage that has ended.
pub(crate) struct Ended {
    pub(crate) execution_id: ExecutionId,
    pub(crate) row: Value,
    /// Its interactions, in order.
    pub(crate) records: Vec<RecordedInteraction>,
    /// The worker that ran it. Its log is complete.
    pub(crate) worker: Process,
}

impl Bench {
    pub(crate) async fn new(
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        Self::configured(CONFIG, model).await
    }

    /// Uses another configuration of the same server, agent, chain and variables.
    pub(crate) async fn configured(
        config: &str,
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        Self::on(TestDb::new().await, config, model).await
    }

    pub(crate) async fn on(
        db: TestDb,
        config: &str,
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        let llm = FakeLlm::start(model).await.expect("a fake model");
        let files = tempfile::tempdir().expect("a folder");
        std::fs::write(files.path().join("agents.yaml"), config).expect("the configuration");
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp_server.py");
        let set = [
            ("DATABASE_URL", db.url().to_owned()),
            (
                "AGENT_CONFIG_FILE",
                files.path().join("agents.yaml").display().to_string(),
            ),
            ("MCP_SERVER", server.to_owned()),
            ("MCP_FILES", files.path().display().to_string()),
            ("LLM_URL", llm.base_url(WireFormat::OpenAi)),
            ("SERVER_TOKEN", "none".to_owned()),
            ("FIRST_KEY", "first-key".to_owned()),
            ("SECOND_KEY", "second-key".to_owned()),
        ];
        let environment = set.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Self {
            db,
            llm,
            files,
            strategy: IterationStrategy::Regular,
            environment,
        }
    }

    /// Sets a variable of the worker.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the answer of the server's tool `look` for `part`.
    pub(crate) fn part(&self, part: &str, text: &str) {
        std::fs::write(self.files.path().join(part), text).expect("a part");
    }

    /// Runs the only stage of a chain for this alert, until it has ended.
    pub(crate) async fn run(&self, alert: Value, runbook: &str) -> Ended {
        let execution_id = self.make_due(alert, runbook).await;
        self.run_due(execution_id).await
    }

    /// Runs the stage that is due until it has ended.
    pub(crate) async fn run_due(&self, execution_id: ExecutionId) -> Ended {
        let (row, worker) = self.end_of(execution_id).await;
        let mut conn = self.db.pool().acquire().await.expect("a connection");
        let records = tarsy_store::interactions::load_records(&mut conn, execution_id)
            .await
            .expect("records");
        Ended {
            execution_id,
            row,
            records,
            worker,
        }
    }

    /// Like [`Self::run_due`], for a stage whose records can't be read. Returns its row.
    pub(crate) async fn run_due_without_records(&self, execution_id: ExecutionId) -> Value {
        self.end_of(execution_id).await.0
    }

    async fn end_of(&self, execution_id: ExecutionId) -> (Value, Process) {
        let mut program = Program::at("stage-worker", env!("CARGO_BIN_EXE_stage-worker"));
        for (name, value) in &self.environment {
            program = program.env(name, value);
        }
        let worker = program.start().expect("a worker");
        let row = wait::until("the end of the stage", SOON, async || {
            let row: Value = sqlx::query_scalar(
                "select to_jsonb(e) from stage_executions e where execution_id = $1",
            )
            .bind(execution_id.as_uuid())
            .fetch_one(self.db.pool())
            .await
            .expect("the stage's row");
            row["completed_at_us"].is_number().then_some(row)
        })
        .await;
        worker.terminate();
        worker.ended(SOON).await;
        (row, worker)
    }

    /// Creates the rows and the job as a chain worker would.
    pub(crate) async fn make_due(&self, alert: Value, runbook: &str) -> ExecutionId {
        let stage = json!({"name": "watch", "agent": "Watcher"});
        self.make_stage_due(alert, runbook, stage).await
    }

    /// Does the same for this stage, given as sessions store it.
    pub(crate) async fn make_stage_due(
        &self,
        alert: Value,
        runbook: &str,
        stage: Value,
    ) -> ExecutionId {
        let session_id = SessionId::generate();
        let agent = stage["agent"].as_str().expect("what runs it").to_owned();
        let chain = json!({"chain_id": "watch", "alert_types": ["Watch"], "stages": [stage]});
        let session = rows::session(session_id, &alert, &chain);
        let stage = rows::stage(session_id, "watch", &agent, self.strategy);
        let execution_id = stage.execution_id;
        let mut tx = self.db.pool().begin().await.expect("a transaction");
        tarsy_store::sessions::insert_sessions(&mut tx, &[session])
            .await
            .expect("a session");
        tarsy_store::runbooks::set_runbook(&mut tx, session_id, Ok(runbook))
            .await
            .expect("a runbook");
        tarsy_store::stages::start_stages(&mut tx, &[stage])
            .await
            .expect("a stage");
        let job = NewJob::new(Pool::default().queue(), "stage", execution_id.as_uuid());
        tarsy_queue::enqueue(&mut tx, &[job]).await.expect("a job");
        tx.commit().await.expect("a commit");
        execution_id
    }
}
