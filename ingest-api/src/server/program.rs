//! The `ingest-api` process.

use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_queue::Waker;

use crate::{App, Catalog, Config};

/// Runs an `ingest-api` process to its end.
///
/// # Errors
///
/// If the process can't start, or if serving fails.
pub async fn run_process() -> anyhow::Result<()> {
    let mut process = Process::start("ingest-api", Variables::Optional)?;
    process.sweep()?;
    let app = App::bind(Config {
        ingest: process.settings.ingest.clone(),
        history: process.settings.history.clone(),
        drain_grace: process.settings.queue.drain_grace,
        catalog: Catalog::follow(&mut process)?,
        waker: Waker::new(process.connections.clone()),
        primary: process.primary()?,
        replica: process.replica()?,
        pool: process.pool.clone(),
    })
    .await?
    .listening_over(&process.direct_url()?)?;
    process.follow_config();
    tracing::info!(address = %app.address()?, "listening");
    let signals = process.signals.clone();
    let served = app.serve(signals.stop, signals.hurry).await;
    process.end().await;
    Ok(served?)
}
