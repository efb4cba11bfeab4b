//! The `ingest-api` process.

use anyhow::Result;
use clap::Parser;

/// Accepts alerts over HTTP and serves sessions and their history.
///
/// Configured by the environment and the file that `AGENT_CONFIG_FILE` names; `tarsy
/// check-config` explains both. Run as many as you like.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    let Arguments {} = Arguments::parse();
    tarsy_boot::runtime()?.block_on(tarsy_ingest_api::run_process())
}
