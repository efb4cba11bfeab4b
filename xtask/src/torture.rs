//! `cargo xtask torture`: injects faults into a fleet of the debug build, in which protections can be switched off. It
//! runs on a separate PostgreSQL server.

mod equipment;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::{python, shell, workspace};

/// Inject faults into a fleet of real processes, then check invariants.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Options of the run: --minutes N, --seed S, --without fence|crash-cap|intent, --only FAULT,.., --partitions yes|no, --quirks yes|no, --json
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

/// Duration of the run in `cargo xtask test`, before the drain, in seconds.
const SHORT: &str = "75";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let packages = [
        "tarsy-ingest-api",
        "tarsy-chain-worker",
        "tarsy-stage-worker",
        "tarsy-cli",
        "tarsy-torture",
    ];
    let mut build = workspace::cargo();
    build.args(["build", "--bins"]);
    build.args(packages.iter().flat_map(|package| ["--package", package]));
    shell::run(&mut build)?;
    equipment::install();
    let status = program()
        .args(&arguments.more)
        .status()
        .context("cannot run tarsy-torture")?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Installs the programs that faults need.
pub(crate) fn prepare() {
    equipment::install();
}

/// Runs the short torture. Everything must be built already.
pub(crate) fn short() -> Result<()> {
    equipment::install();
    shell::run(program().args(["--seconds", SHORT]))
        .context("the report names the invariant and the seed")
}

fn program() -> Command {
    let mut program = Command::new(workspace::binary("debug", "tarsy-torture"));
    python::before_its_shim(&mut program).current_dir(workspace::root());
    program
}
