//! The `chain-worker` process.

use anyhow::Result;
use clap::Parser;

/// Chain worker of the fleet: decides the next step of each session.
///
/// Configured by the environment and the file in `AGENT_CONFIG_FILE`; see `tarsy check-config`. Any number of processes
/// may run.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    tarsy_boot::deny_inspection()?;
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(tarsy_chain_worker::run_process())
}
