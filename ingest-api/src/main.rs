//! The `ingest-api` process.

use anyhow::Result;
use clap::Parser;

/// HTTP API of the fleet: accepts alerts and serves sessions and history.
///
/// Configured by the environment and the file in `AGENT_CONFIG_FILE`; see `tarsy check-config`.
/// Any number of processes may run.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    tarsy_boot::deny_inspection()?;
    let Arguments {} = Arguments::parse();
    tarsy_boot::runtime()?.block_on(tarsy_ingest_api::run_process())
}
