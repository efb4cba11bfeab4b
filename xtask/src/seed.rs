//! `cargo xtask seed`: fills a database with sessions, for the web apps and for benchmarks.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::{shell, workspace};

/// Fill the database at `DATABASE_URL` with generated sessions.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Number of sessions; each has two stages and about ten interactions, and needs 10 KB
    #[arg(long, default_value_t = 100_000)]
    sessions: u32,
    /// Add to the existing sessions of the database
    #[arg(long)]
    add: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    std::env::var("DATABASE_URL").context("DATABASE_URL must name the database to fill")?;
    shell::run(workspace::cargo().args(["build", "--release", "--package", "tarsy-bench"]))?;
    let mut seed = Command::new(workspace::binary("release", "tarsy-bench"));
    seed.args(["seed", "--sessions", &arguments.sessions.to_string()]);
    if arguments.add {
        seed.arg("--add");
    }
    shell::run(&mut seed)?;
    Ok(ExitCode::SUCCESS)
}
