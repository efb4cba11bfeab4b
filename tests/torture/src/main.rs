//! `cargo xtask torture`: a fleet of real processes on a Postgres of its own, tormented from a
//! seed; then healed, drained, and held to its invariants.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program"
)]

mod again;
mod bouncer;
mod cage;
mod client;
mod clock;
mod crew;
mod evidence;
mod fault;
mod firewall;
mod fleet;
mod gauges;
mod invariants;
mod ledger;
mod logs;
mod model;
mod nemesis;
mod proof;
mod proxy;
mod report;
mod run;
mod runbooks;
mod self_check;
mod shown;
mod small_disk;
mod versions;
mod witnesses;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use tarsy_testing::postgres::Installation;
use tarsy_testing::tools;

use crate::fault::Fault;

/// Torture a fleet and look what breaks.
#[derive(Debug, Clone, Parser)]
struct Arguments {
    /// How long faults are done, in minutes; then comes the drain
    #[arg(long)]
    minutes: Option<u64>,
    /// The same in seconds; default 75
    #[arg(long, conflicts_with = "minutes")]
    seconds: Option<u64>,
    /// What faults are chosen from; default: a new one
    #[arg(long)]
    seed: Option<u64>,
    /// Switch a protection off: the run must fail and name the invariant
    #[arg(long, value_enum, conflicts_with = "other_build")]
    without: Option<Protection>,
    /// Run without each protection in turn: every run must fail and name the invariant
    #[arg(long, conflicts_with_all = ["without", "only", "other_build"])]
    self_check: bool,
    /// Do only this fault
    #[arg(long, value_enum)]
    only: Option<Fault>,
    /// Alerts of one burst; default 1,000, and 10,000 from five minutes on
    #[arg(long)]
    burst: Option<usize>,
    /// Folder with an older build's binaries and its `migrations`: the run begins with those, and
    /// rolling upgrades migrate to ours and go between the two
    #[arg(long)]
    other_build: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Keep logs and ledger, and say where
    #[arg(long)]
    keep: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Protection {
    /// Writes under a claim name its epoch
    Fence,
    /// A stage that kills four workers is failed
    CrashCap,
    /// Tool calls are written before they are made
    Intent,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    // What has to be fetched is fetched while there is a network.
    let tools = tools::workspace().join("target/tools");
    Installation::find_or_install(&tools, &|_| {})?;
    firewall::enter()?;
    if arguments.self_check {
        return Ok(exit(self_check::run(&arguments).await?));
    }
    let report = run::run(&arguments).await?;
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        report.print();
    }
    Ok(exit(report.broken.is_empty()))
}

const fn exit(good: bool) -> ExitCode {
    match good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
