//! The `stage-worker` process.

use anyhow::Result;
use clap::Parser;
use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_queue::Waker;

/// Runs stages: the agents, their models and their tools.
///
/// Configured by the environment (`TARSY_STAGE_POOLS`, `TARSY_STAGE_CONCURRENCY`, provider keys)
/// and the file that `AGENT_CONFIG_FILE` names; `tarsy check-config` explains both. Run as many
/// as you like.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(run())
}

async fn run() -> Result<()> {
    let mut process = Process::start("stage-worker", Variables::Required)?;
    process.sweep()?;
    let waker = Waker::new(process.connections.clone());
    let service = tarsy_stage_worker::service(&process, waker)?;
    let signals = process.signals.clone();
    let worked = service.run(signals.stop, signals.hurry).await;
    process.end().await;
    Ok(worked?)
}
