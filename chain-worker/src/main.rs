//! The `chain-worker` process.

use anyhow::Result;
use clap::Parser;
use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_queue::Waker;

/// Decides what comes next for each session.
///
/// Configured by the environment and the file that `AGENT_CONFIG_FILE` names; `tarsy
/// check-config` explains both. Run as many as you like.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    let Arguments {} = Arguments::parse();
    tarsy_boot::worker_runtime()?.block_on(run())
}

async fn run() -> Result<()> {
    let mut process = Process::start("chain-worker", Variables::Optional)?;
    process.sweep()?;
    let waker = Waker::new(process.connections.clone());
    let service = tarsy_chain_worker::service(&process, waker)?;
    let signals = process.signals.clone();
    let worked = service.run(signals.stop, signals.hurry).await;
    process.end().await;
    Ok(worked?)
}
