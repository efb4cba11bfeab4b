//! The demo's fleet: four processes that share only the database.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::wait;

use super::provider::Provider;
use crate::{interrupt, terminal, workspace};

const DEFAULT_PORT: u16 = 8000;
const START_TIME: Duration = Duration::from_secs(30);
const DRAIN_TIME: Duration = Duration::from_secs(45);

/// Configuration of the demo.
const CONFIG: &str = "config/demo.yaml";

/// Processes, each as the name of its log and its binary.
const PROCESSES: [(&str, &str); 4] = [
    ("ingest-api", "ingest-api"),
    ("chain-worker", "chain-worker"),
    ("stage-worker-1", "stage-worker"),
    ("stage-worker-2", "stage-worker"),
];

/// The running processes. Killed when dropped.
pub(super) struct Fleet {
    processes: Vec<(&'static str, Process)>,
    port: u16,
    logs: PathBuf,
}

impl Fleet {
    /// Starts all processes and waits until the API responds.
    pub(super) fn start(
        database: &str,
        logs: &Path,
        port: Option<u16>,
        provider: &Provider,
    ) -> Result<Self> {
        let configure = |process: Program| {
            process
                .env("AGENT_CONFIG_FILE", workspace::root().join(CONFIG))
                .env("DEFAULT_LLM_PROVIDER", provider.name())
                .env(
                    "TARSY_DEMO_MCP",
                    workspace::binary("debug", "tarsy-demo-mcp"),
                )
        };
        Self::start_with(database, logs, port, configure)
    }

    /// Starts all processes, each configured by `configure`, and waits until the API responds.
    pub(super) fn start_with(
        database: &str,
        logs: &Path,
        port: Option<u16>,
        configure: impl Fn(Program) -> Program,
    ) -> Result<Self> {
        let port = match port {
            Some(port) => port,
            None => free_port()?,
        };
        let mut fleet = Self {
            processes: Vec::new(),
            port,
            logs: logs.to_owned(),
        };
        for (name, binary) in PROCESSES {
            let process = Program::at(name, workspace::binary("debug", binary));
            let process = configure(process)
                .env("DATABASE_URL", database)
                .env("TARSY_LISTEN", format!("127.0.0.1:{port}"))
                .current_dir(workspace::root())
                .log_to(logs.join(format!("{name}.log")))
                .start()?;
            terminal::info(&format!("{name} started (process {})", process.id()));
            fleet.processes.push((name, process));
        }
        fleet.wait_until_healthy()?;
        terminal::info(&format!("the API answers at {}", fleet.url()));
        Ok(fleet)
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the URL of the newest session's page.
    pub(super) fn session_page(&self) -> String {
        let id = newest_session(self.port).unwrap_or_default();
        format!("{}/dashboard/sessions/{id}", self.url())
    }

    pub(super) fn logs(&self) -> &Path {
        &self.logs
    }

    /// Prints the last lines of the log of each process that has exited.
    pub(super) fn print_logs_of_exited(&self) {
        for (name, process) in self
            .processes
            .iter()
            .filter(|(_, process)| !process.is_running())
        {
            eprintln!(
                "{name} has ended; the last lines of {}:",
                workspace::shown(process.log_path())
            );
            let log = process.log();
            let lines: Vec<_> = log.lines().collect();
            for line in &lines[lines.len().saturating_sub(15)..] {
                eprintln!("    {line}");
            }
        }
    }

    /// Drains all processes and waits until they have exited.
    pub(super) fn stop(self) -> Result<()> {
        for (_, process) in &self.processes {
            process.terminate();
        }
        let left = poll("drained processes", DRAIN_TIME, || {
            self.processes
                .iter()
                .all(|(_, process)| !process.is_running())
        });
        left.context("the fleet did not drain in time and is killed")
    }

    /// Whether any process has exited.
    fn has_ended(&self) -> bool {
        self.processes
            .iter()
            .any(|(_, process)| !process.is_running())
    }

    fn wait_until_healthy(&self) -> Result<()> {
        poll("an answer of the API", START_TIME, || {
            healthy(self.port) || self.has_ended() || interrupt::is_requested()
        })?;
        if self.has_ended() {
            self.print_logs_of_exited();
            bail!("a process ended at once: its log above says why");
        }
        anyhow::ensure!(!interrupt::is_requested(), "interrupted");
        Ok(())
    }
}

/// Polls until the condition is true.
fn poll(what: &str, timeout: Duration, condition: impl Fn() -> bool) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime
        .block_on(wait::up_to(timeout, async || condition()))
        .with_context(|| format!("waited {} in vain for {what}", terminal::duration(timeout)))
}

fn healthy(port: u16) -> bool {
    ask(port, "/health").is_ok_and(|answer| answer.split_whitespace().nth(1) == Some("200"))
}

/// Returns the id of the newest session.
fn newest_session(port: u16) -> Option<String> {
    let answer = ask(port, "/api/v1/history/sessions?page_size=1").ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let list: serde_json::Value = serde_json::from_str(body).ok()?;
    list["sessions"][0]["session_id"]
        .as_str()
        .map(str::to_owned)
}

/// Returns the API's response, including the headers.
fn ask(port: u16, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", DEFAULT_PORT))
        .or_else(|_| TcpListener::bind(("127.0.0.1", 0)))
        .context("no port is free on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}
