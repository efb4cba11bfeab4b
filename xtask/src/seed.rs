//! `cargo xtask seed`: a database with as many sessions as one likes, to look at and to measure.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::{shell, workspace};

/// Fill the database of `DATABASE_URL` with sessions that nobody submitted.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Sessions to make; each has two stages, about ten interactions and takes 10 KB
    #[arg(long, default_value_t = 100_000)]
    sessions: u32,
    /// Fill a database that holds sessions already
    #[arg(long)]
    add: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    std::env::var("DATABASE_URL").context("say which database to fill: set DATABASE_URL")?;
    shell::run(workspace::cargo().args(["build", "--release", "--package", "tarsy-bench"]))?;
    let mut seed = Command::new(workspace::binary("release", "tarsy-bench"));
    seed.args(["seed", "--sessions", &arguments.sessions.to_string()]);
    if arguments.add {
        seed.arg("--add");
    }
    shell::run(&mut seed)?;
    Ok(ExitCode::SUCCESS)
}
