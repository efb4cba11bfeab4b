//! A fleet of real processes with one database and one model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest, WireFormat};
use tarsy_testing::process::{Process, Program, binary};
use tarsy_testing::{TestDb, wait};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{Ledger, Rows, violations};

/// Maximum wait for something that should happen in a moment, on a busy machine.
pub const SOON: Duration = Duration::from_secs(60);

/// Environment of a fleet. A test starts, kills and owns the processes itself.
///
/// Leases last a minute unless a test changes that. So if work continues sooner, a death was noticed or a
/// job was released, and no lease ran out.
#[derive(Debug)]
pub struct Fleet {
    /// Reads the rows of its database.
    pub rows: Rows,
    /// The model of its agents.
    pub llm: FakeLlm,
    /// Calls that its MCP server received.
    pub ledger: Ledger,
    settings: Vec<(String, String)>,
    client: reqwest::Client,
    db: TestDb,
    _folder: TempDir,
}

/// A running `ingest-api`.
#[derive(Debug)]
pub struct Ingest {
    /// The process.
    pub process: Process,
    /// URL on which it listens, e.g. `http://127.0.0.1:1234`.
    pub url: String,
}

/// An alert to post.
#[derive(Debug, Clone)]
pub struct Alert {
    /// Alert type, which `config/fleet.yaml` maps to a chain.
    pub alert_type: &'static str,
    /// Idempotency key. It also makes the alert differ from all others.
    pub key: Uuid,
}

impl Alert {
    /// Creates an alert of this type with a new key.
    #[must_use]
    pub fn new(alert_type: &'static str) -> Self {
        Self {
            alert_type,
            key: Uuid::now_v7(),
        }
    }

    fn body(&self) -> Value {
        json!({
            "alert_type": self.alert_type,
            "runbook": "local:checkout.md",
            "severity": "critical",
            "data": {"service": "checkout", "incident": self.key},
        })
    }
}

impl Fleet {
    /// Creates a fleet on a new database. `model` decides the model's behaviour.
    pub async fn new(model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static) -> Self {
        Self::on(TestDb::new().await, model).await
    }

    /// Creates a fleet on this database. `model` decides the model's behaviour.
    pub async fn on(
        db: TestDb,
        model: impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        tarsy_telemetry::install_crypto();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path().join("ledger"));
        let llm = FakeLlm::start(model).await.unwrap();
        let settings = [
            ("DATABASE_URL", db.url().to_owned()),
            ("DATABASE_MAX_CONNECTIONS", "5".to_owned()),
            (
                "AGENT_CONFIG_FILE",
                here.join("config/fleet.yaml").display().to_string(),
            ),
            ("TARSY_LISTEN", "127.0.0.1:0".to_owned()),
            ("TARSY_OPS_LISTEN", "127.0.0.1:0".to_owned()),
            ("TARSY_LEASE_TTL", "60s".to_owned()),
            (
                "TARSY_TEST_FIXTURES",
                here.join("fixtures").display().to_string(),
            ),
            ("TARSY_TEST_LEDGER", ledger.path().display().to_string()),
            ("TARSY_TEST_LLM_KEY", "not-a-secret".to_owned()),
            ("TARSY_TEST_LLM_URL", llm.base_url(WireFormat::OpenAi)),
        ];
        Self {
            rows: Rows::new(db.pool().clone()),
            llm,
            ledger,
            settings: settings
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
            client: reqwest::Client::new(),
            db,
            _folder: folder,
        }
    }

    /// Removes its database without blocking the thread, as a drop does. Postgres removes no database while a connection
    /// is being authenticated, which another fleet of the same task may have open. End its processes first.
    ///
    /// # Panics
    ///
    /// When the server refuses.
    pub async fn remove(self) {
        self.db.remove().await.unwrap();
    }

    /// Sets a variable for all processes that are started from now on.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.settings.retain(|(set, _)| set != name);
        self.settings.push((name.to_owned(), value.into()));
        self
    }

    /// Makes the MCP server of its agents exit before it responds.
    ///
    /// # Panics
    ///
    /// When the configuration of the tests has no such server.
    #[must_use]
    pub fn with_dead_server(self) -> Self {
        self.with_server(r#"["-c", "raise SystemExit(1)"]"#)
    }

    /// Makes the MCP server of its agents start as `python3` with these arguments, a list in YAML.
    ///
    /// # Panics
    ///
    /// When the configuration of the tests has no such server.
    #[must_use]
    pub fn with_server(self, arguments: &str) -> Self {
        let config = include_str!("../config/fleet.yaml");
        let works =
            r#"["-S", "-E", "${TARSY_TEST_FIXTURES}/ledger_server.py", "${TARSY_TEST_LEDGER}"]"#;
        let other = config.replace(works, arguments);
        assert_ne!(other, config);
        let path = self._folder.path().join("other-server.yaml");
        std::fs::write(&path, other).unwrap();
        self.with("AGENT_CONFIG_FILE", path.display().to_string())
    }

    /// Returns the variables of its processes, e.g. for an operator's command.
    #[must_use]
    pub fn environment(&self) -> Vec<(&str, &str)> {
        let settings = self.settings.iter();
        settings
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Returns a program of the fleet, not started yet.
    #[must_use]
    pub fn program(&self, name: &str) -> Program {
        self.program_at(name, binary(name))
    }

    /// Returns a program of the fleet at a path other than its build folder.
    #[must_use]
    pub fn program_at(&self, name: &str, path: PathBuf) -> Program {
        let program = Program::at(name, path);
        self.settings
            .iter()
            .fold(program, |program, (name, value)| program.env(name, value))
    }

    /// Starts `tarsy up`, which runs every service in one process.
    pub async fn up(&self) -> Ingest {
        let process = self.program("tarsy").arg("up").start().unwrap();
        let line = process.printed("tarsy is up: ", SOON).await;
        let (_, url) = line.split_once("tarsy is up: ").unwrap();
        let url = url.split(',').next().unwrap().to_owned();
        Ingest { process, url }
    }

    /// Starts an `ingest-api`.
    pub async fn ingest(&self) -> Ingest {
        self.ingest_with(self.program("ingest-api")).await
    }

    /// Starts an `ingest-api` from [`Fleet::program`].
    pub async fn ingest_with(&self, program: Program) -> Ingest {
        let process = program.start().unwrap();
        let line = process.printed("listening", SOON).await;
        let (_, address) = line.split_once("address=").unwrap();
        let address = address.split_whitespace().next().unwrap().to_owned();
        Ingest {
            process,
            url: format!("http://{address}"),
        }
    }

    /// Starts a `chain-worker`.
    #[must_use]
    pub fn chain_worker(&self) -> Process {
        self.program("chain-worker").start().unwrap()
    }

    /// Starts a `stage-worker`.
    #[must_use]
    pub fn stage_worker(&self) -> Process {
        self.program("stage-worker").start().unwrap()
    }

    /// Waits until this many workers have registered.
    pub async fn workers(&self, count: i64) {
        wait::until("workers to register", SOON, async || {
            self.rows.count("select count(*) from workers").await >= count
        })
        .await;
    }

    /// Posts an alert once. Returns the session's id if it was accepted.
    pub async fn try_post(&self, url: &str, alert: &Alert) -> Option<Uuid> {
        let request = self.client.post(format!("{url}/alerts"));
        let request = request
            .header("idempotency-key", alert.key.to_string())
            .json(&alert.body());
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let body: Value = response.json().await.ok()?;
        assert!(matches!(status, 202 | 503), "{status}: {body}");
        (status == 202).then(|| body["session_id"].as_str().unwrap().parse().unwrap())
    }

    /// Posts an alert until it is accepted, like a client that retries.
    pub async fn post(&self, ingest: &Ingest, alert: &Alert) -> Uuid {
        wait::until("an alert to be accepted", SOON * 2, async || {
            self.try_post(&ingest.url, alert).await
        })
        .await
    }

    /// Posts a new alert of this type until it is accepted.
    pub async fn submit(&self, ingest: &Ingest, alert_type: &'static str) -> Uuid {
        self.post(ingest, &Alert::new(alert_type)).await
    }

    /// Posts this alert once, and returns its session's id.
    ///
    /// # Panics
    ///
    /// When it is not accepted.
    pub async fn submit_body(&self, ingest: &Ingest, alert: &Value) -> Uuid {
        let request = self.client.post(format!("{}/alerts", ingest.url));
        let answer = request.json(alert).send().await.unwrap();
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap();
        assert_eq!(status, 202, "{alert}: {body}");
        body["session_id"].as_str().unwrap().parse().unwrap()
    }

    /// Returns the URL of its database.
    #[must_use]
    pub fn database_url(&self) -> &str {
        self.db.url()
    }

    /// Asserts that all invariants hold after all work is done ([`violations`]).
    ///
    /// # Panics
    ///
    /// When an invariant is violated. The message names the invariant and the row.
    pub async fn assert_sound(&self) {
        self.assert_sound_after("all work").await;
    }

    /// Asserts like [`Fleet::assert_sound`]. The message of a panic names the preceding work `what`.
    ///
    /// # Panics
    ///
    /// As [`Fleet::assert_sound`].
    pub async fn assert_sound_after(&self, what: &str) {
        let found = violations(self.rows.pool()).await;
        assert!(found.is_empty(), "after {what}: {found:#?}");
    }
}
