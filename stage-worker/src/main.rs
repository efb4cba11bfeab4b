//! The `stage-worker` process.

use anyhow::Result;
use clap::Parser;

/// Runs stages: the agents, their models and their tools.
///
/// Configured by the environment (`TARSY_STAGE_POOLS`, `TARSY_STAGE_CONCURRENCY`, provider keys)
/// and the file that `AGENT_CONFIG_FILE` names; `tarsy check-config` explains both. Run as many
/// as you like.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    tarsy_boot::deny_inspection()?;
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(tarsy_stage_worker::run_process())
}
