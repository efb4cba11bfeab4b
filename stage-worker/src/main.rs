//! The `stage-worker` process.

use anyhow::Result;
use clap::Parser;

/// Stage worker of the fleet: runs agents with their models and tools.
///
/// Configured by the environment (`TARSY_STAGE_POOLS`, `TARSY_STAGE_CONCURRENCY`, provider keys) and the file in
/// `AGENT_CONFIG_FILE`; see `tarsy check-config`. Any number of processes may run.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    tarsy_boot::deny_inspection()?;
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(tarsy_stage_worker::run_process())
}
