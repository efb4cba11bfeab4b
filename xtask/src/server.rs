//! The PostgreSQL server of a command: the one of `DATABASE_URL`, or else a private one.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use tarsy_testing::Error;
use tarsy_testing::postgres::{Cluster, Installation, Report, Stop};

use crate::{interrupt, terminal, workspace};

/// Variable with the URL of a server that is used in place of a private one.
const DATABASE_URL: &str = "DATABASE_URL";

/// Maximum number of concurrent runs in one checkout. Each has a separate server.
const MAX_RUNS: usize = 8;

pub(crate) enum Server {
    /// The server of `DATABASE_URL`, which is left running.
    Given(String),
    /// A private server, which is stopped when dropped.
    Private(Box<Cluster>),
}

impl Server {
    /// Starts a server for the hundreds of databases of one test run. Its data is deleted afterwards.
    pub(crate) fn for_tests() -> Result<Self> {
        Self::for_one_run(Cluster::start_for_many_databases)
    }

    /// Starts a server as in production, with autovacuum, for one run. Its data is deleted afterwards.
    pub(crate) fn for_benchmarks() -> Result<Self> {
        Self::for_one_run(Cluster::start)
    }

    fn for_one_run(
        start: impl Fn(&Installation, &Path, Report<'_>) -> tarsy_testing::Result<Cluster>,
    ) -> Result<Self> {
        if let Some(given) = given() {
            return Ok(given);
        }
        let installation = find()?;
        for run in 1..=MAX_RUNS {
            let folder = workspace::target().join(format!("postgres/tests-{run}"));
            match start(&installation, &folder, &terminal::info) {
                Err(Error::InUse { .. }) => {}
                outcome => return Ok(Self::Private(Box::new(outcome?))),
            }
        }
        bail!("{MAX_RUNS} runs are going on in this checkout: wait for one of them to end")
    }

    /// Starts a server whose data stays in `folder`.
    pub(crate) fn lasting(folder: &Path) -> Result<Self> {
        match given() {
            Some(given) => Ok(given),
            None => {
                let cluster = Cluster::start(&find()?, folder, &terminal::info)?;
                Ok(Self::Private(Box::new(cluster)))
            }
        }
    }

    /// Returns the URL of a database on a private server, or else the given URL.
    pub(crate) fn url(&self, database: &str) -> String {
        match self {
            Self::Given(url) => url.clone(),
            Self::Private(cluster) => cluster.url(database),
        }
    }

    /// Sets the variables by which a program finds the server.
    pub(crate) fn describe_to(&self, command: &mut Command) {
        let url = self.url("postgres");
        for variable in tarsy_testing::ADMIN_URL_VARIABLES {
            command.env(variable, &url);
        }
        if matches!(self, Self::Private(_)) {
            // Databases need not be dropped, because they are deleted with the server.
            command.env(tarsy_testing::KEEP, "1");
        }
    }

    /// Stops a private server and deletes its data.
    pub(crate) fn remove(self) -> Result<()> {
        match self {
            Self::Given(_) => Ok(()),
            Self::Private(cluster) => cluster
                .remove()
                .context("cannot remove the private PostgreSQL"),
        }
    }

    /// Stops a private server and keeps its data.
    pub(crate) fn stop(self) -> Result<()> {
        match self {
            Self::Given(_) => Ok(()),
            Self::Private(mut cluster) => cluster
                .stop(Stop::Fast)
                .context("cannot stop the private PostgreSQL"),
        }
    }
}

/// Runs `cargo xtask postgres`.
pub(crate) fn keep_running() -> Result<ExitCode> {
    let folder: PathBuf = workspace::target().join("postgres/kept");
    let server = Server::lasting(&folder)?;
    println!("\nexport DATABASE_URL={}\n", server.url("postgres"));
    terminal::info(
        "use this in another terminal, e.g. before `cargo nextest run -p tarsy-store`; Ctrl-C stops it",
    );
    interrupt::wait();
    server.stop()?;
    Ok(ExitCode::SUCCESS)
}

fn given() -> Option<Server> {
    let url = std::env::var(DATABASE_URL)
        .ok()
        .filter(|url| !url.is_empty())?;
    terminal::info("using the PostgreSQL of DATABASE_URL");
    Some(Server::Given(url))
}

fn find() -> Result<Installation> {
    Ok(Installation::find_or_install(
        &workspace::tools(),
        &terminal::info,
    )?)
}
