//! The `chain-worker` process.

use anyhow::Result;
use clap::Parser;

/// Decides what comes next for each session.
///
/// Configured by the environment and the file that `AGENT_CONFIG_FILE` names; `tarsy
/// check-config` explains both. Run as many as you like.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    tarsy_boot::deny_inspection()?;
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(tarsy_chain_worker::run_process())
}
