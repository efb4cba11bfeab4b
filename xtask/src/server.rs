//! PostgreSQL server of a command: the one of `DATABASE_URL`, else a private one.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use tarsy_testing::Error;
use tarsy_testing::postgres::{Cluster, Installation, Say, Stop};

use crate::{interrupt, terminal, workspace};

/// Variable with the URL of a server to use instead of a private one.
const DATABASE_URL: &str = "DATABASE_URL";

/// Maximum number of concurrent runs in one checkout, each with its own server.
const MAX_RUNS: usize = 8;

pub(crate) enum Server {
    /// The server of `DATABASE_URL`; left running.
    Given(String),
    /// A private one, stopped when dropped.
    Private(Box<Cluster>),
}

impl Server {
    /// A server for the hundreds of databases of one run of tests; its data are deleted afterwards.
    pub(crate) fn for_tests() -> Result<Self> {
        Self::for_one_run(Cluster::start_for_many_databases)
    }

    /// A server as it is in use, with autovacuum, for one run; its data are deleted afterwards.
    pub(crate) fn for_benchmarks() -> Result<Self> {
        Self::for_one_run(Cluster::start)
    }

    fn for_one_run(
        start: impl Fn(&Installation, &Path, Say<'_>) -> tarsy_testing::Result<Cluster>,
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

    /// A server whose data stay in `folder`.
    pub(crate) fn lasting(folder: &Path) -> Result<Self> {
        match given() {
            Some(given) => Ok(given),
            None => {
                let cluster = Cluster::start(&find()?, folder, &terminal::info)?;
                Ok(Self::Private(Box::new(cluster)))
            }
        }
    }

    /// URL of a database on a private server; the given URL otherwise.
    pub(crate) fn url(&self, database: &str) -> String {
        match self {
            Self::Given(url) => url.clone(),
            Self::Private(cluster) => cluster.url(database),
        }
    }

    /// Sets the variables that tell a program which server to use.
    pub(crate) fn describe_to(&self, command: &mut Command) {
        let url = self.url("postgres");
        for variable in tarsy_testing::ADMIN_URL_VARIABLES {
            command.env(variable, &url);
        }
        if matches!(self, Self::Private(_)) {
            // Databases are deleted with the server.
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

/// `cargo xtask postgres`.
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
