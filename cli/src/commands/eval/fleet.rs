//! Fleet of an evaluation: `tarsy up` as a child process, restarted when it dies.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// Pause before a fleet that died is restarted.
const PAUSE: Duration = Duration::from_millis(500);

/// Environment variables that the fleet of an evaluation must not inherit from the caller: other databases, other
/// tools, callers' identities, trace collectors.
const NOT_INHERITED: &str = include_str!("not_inherited.txt");

/// Running fleet. Dropping it stops the fleet.
pub(super) struct Fleet {
    /// Base URL of the API.
    pub(super) url: String,
    /// Path of the log.
    pub(super) log: PathBuf,
    keeper: JoinHandle<()>,
}

impl Fleet {
    /// Starts a fleet on this database.
    pub(super) fn start(
        program: PathBuf,
        database_url: &str,
        config: &Path,
        folder: &Path,
        parallel: u32,
    ) -> Result<Self> {
        let port = free_port().context("failed to find a free port")?;
        let log = folder.join("fleet.log");
        let written = File::options().create(true).append(true).open(&log);
        let written = written.with_context(|| super::failed("write", &log))?;
        let start = {
            let (database_url, config) = (database_url.to_owned(), config.to_owned());
            move || -> std::io::Result<Child> {
                let mut up = Command::new(&program);
                for name in NOT_INHERITED.lines() {
                    // Also remove the variable that names a file with the value.
                    up.env_remove(name).env_remove(format!("{name}_FILE"));
                }
                up.arg("up")
                    .env("DATABASE_URL", &database_url)
                    .env("AGENT_CONFIG_FILE", &config)
                    .env("TARSY_LISTEN", format!("127.0.0.1:{port}"))
                    .env("TARSY_OPS_LISTEN", "127.0.0.1:0")
                    .env("TARSY_STAGE_CONCURRENCY", parallel.to_string())
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(written.try_clone()?)
                    .kill_on_drop(true)
                    .spawn()
            }
        };
        let mut child = start().context("failed to start the fleet")?;
        let keeper = tokio::spawn(async move {
            loop {
                let ended = child.wait().await;
                tracing::warn!(
                    ?ended,
                    "the evaluation's fleet has ended and is started again"
                );
                tokio::time::sleep(PAUSE).await;
                match start() {
                    Ok(again) => child = again,
                    Err(error) => tracing::warn!(%error, "failed to start the evaluation's fleet"),
                }
            }
        });
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            log,
            keeper,
        })
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Returns a free port. It is chosen in advance, so that a restarted fleet keeps its address.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}
