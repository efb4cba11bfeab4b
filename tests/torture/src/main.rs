//! `cargo xtask torture`: injects faults, chosen by a seed, into a fleet of real processes. Then heals and drains the
//! fleet, and checks its invariants.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program"
)]

mod client;
mod clock;
mod configuration;
mod coverage;
mod cross_checks;
mod drain;
mod end_to_end_alert;
mod fault;
mod firewall;
mod fleet;
mod invariants;
mod ledger;
mod logs;
mod model;
mod names;
mod nemesis;
mod partitioning;
mod people;
mod pgbouncer;
mod process_limit;
mod processes;
mod proxy;
mod report;
mod rerun_command;
mod resource_usage;
mod run;
mod runbooks;
mod self_check;
mod small_disk;
mod triggers;
mod versions;
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::builder::BoolishValueParser;
use clap::{ArgAction, Parser, ValueEnum};
use tarsy_testing::postgres::Installation;
use tarsy_testing::tools;

use crate::fault::Fault;
use crate::fleet::{LEASE, LONG_LEASE};

/// Inject faults into a fleet, then check invariants.
#[derive(Debug, Clone, Parser)]
struct Arguments {
    /// Duration of the faults in minutes, before the drain
    #[arg(long)]
    minutes: Option<u64>,
    /// Duration of the faults in seconds [default: 75]
    #[arg(long, conflicts_with = "minutes")]
    seconds: Option<u64>,
    /// Random seed for the choice of faults [default: a new one]
    #[arg(long)]
    seed: Option<u64>,
    /// Switch off a protection; the run must then fail and name the invariant
    #[arg(long, value_enum, conflicts_with = "other_build")]
    without: Option<Protection>,
    /// Run without each protection in turn; every run must fail and name the invariant
    #[arg(long, conflicts_with_all = ["without", "only", "other_build", "partitions"])]
    self_check: bool,
    /// Inject only these faults, e.g. `failover,reload,rolling-upgrade`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAULT,..")]
    only: Vec<Fault>,
    /// Partition the interaction and event tables under load [default: with every second seed]
    #[arg(long, value_name = "yes|no", value_parser = BoolishValueParser::new(), conflicts_with = "without")]
    partitions: Option<bool>,
    /// Let the model and the tool servers give every second answer in a slightly unusual form
    #[arg(long, value_name = "yes|no", default_value = "yes", action = ArgAction::Set, value_parser = BoolishValueParser::new())]
    quirks: bool,
    /// Number of alerts in a burst [default: 1,000, or 10,000 in a run of five minutes or more]
    #[arg(long)]
    burst: Option<usize>,
    /// Number of sessions that wait for the whole run [default: 200, or 10,000 in a run of five minutes or more]
    #[arg(long)]
    parked: Option<usize>,
    /// Folder with the programs and `migrations` of an older build; the run starts with this build, and rolling
    /// upgrades switch between both builds
    #[arg(long)]
    other_build: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Keep logs and the ledger of tool calls, and print their folder
    #[arg(long)]
    keep: bool,
}

impl Arguments {
    /// Seconds of faults.
    fn seconds(&self) -> u64 {
        let minutes = self.minutes.map_or(75, |minutes| minutes * 60);
        self.seconds.unwrap_or(minutes)
    }

    /// Lease of the fleet.
    fn lease(&self) -> Duration {
        match self.outlasts_all() {
            true => LONG_LEASE,
            false => LEASE,
        }
    }

    /// Whether every fault of the run is an outage that is shorter than a lease.
    fn outlasts_all(&self) -> bool {
        !self.only.is_empty() && self.only.iter().all(|fault| fault.is_outlasted())
    }

    /// Whether a run with this seed partitions tables under load.
    fn partitions(&self, seed: u64) -> bool {
        let chosen = self.partitions.unwrap_or_else(|| seed.is_multiple_of(2));
        chosen && self.without.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Protection {
    /// Writes under a claim check the claim's epoch
    Fence,
    /// A stage that has crashed four workers fails
    CrashCap,
    /// Tool calls are recorded before they are made
    Intent,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    // The network namespace has no route: download first.
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
