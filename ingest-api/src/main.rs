//! The `ingest-api` process.

use anyhow::Result;
use clap::Parser;
use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_ingest_api::{App, Catalog, Config};
use tarsy_queue::Waker;

/// HTTP API of the fleet: accepts alerts and serves sessions and history.
///
/// Configured by the environment and the file in `AGENT_CONFIG_FILE`; see `tarsy check-config`.
/// Any number of processes may run.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() -> Result<()> {
    let Arguments {} = Arguments::parse();
    tarsy_boot::runtime()?.block_on(run())
}

async fn run() -> Result<()> {
    let mut process = Process::start("ingest-api", Variables::Optional)?;
    process.sweep()?;
    let app = App::bind(Config {
        ingest: process.settings.ingest.clone(),
        history: process.settings.history.clone(),
        catalog: Catalog::of(&process.config)?,
        waker: Waker::new(process.connections.clone()),
        pool: process.pool.clone(),
    })
    .await?
    .hearing_over(&process.direct_url()?)?;
    tracing::info!(address = %app.address()?, "listening");
    let signals = process.signals.clone();
    let served = app.serve(signals.stop, signals.hurry).await;
    process.end().await;
    Ok(served?)
}
