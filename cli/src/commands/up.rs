//! `tarsy up`: runs all services in one process.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_ingest_api::{App, Catalog};
use tarsy_queue::Waker;

/// Longest wait for a Postgres host that accepts writes.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn run() -> Result<ExitCode> {
    let mut process = Process::start("tarsy", Variables::Required)?;
    process
        .primary()?
        .wait_until_known(PATIENCE)
        .await
        .context("no usable database")?;
    let mut connection = process
        .pool
        .acquire()
        .await
        .context("failed to connect to the database")?;
    tarsy_store::schema::migrate(&mut connection).await?;
    drop(connection);

    process.serve_ops(tarsy_boot::UP_PORT).await?;
    process.sweep()?;
    let waker = Waker::new(process.connections.clone());
    let chain = tarsy_chain_worker::service(&mut process, waker.clone())?;
    let stage = tarsy_stage_worker::service(&mut process, waker.clone())?;
    let api = App::bind(tarsy_ingest_api::Config {
        ingest: process.settings.ingest.clone(),
        history: process.settings.history.clone(),
        drain_grace: process.settings.queue.drain_grace,
        catalog: Catalog::follow(&mut process)?,
        primary: process.primary()?,
        replica: process.replica()?,
        pool: process.pool.clone(),
        waker,
    })
    .await?
    .listening_over(&process.direct_url()?)?;
    process.follow_config();
    eprintln!(
        "tarsy is up: http://{0}, dashboard at http://{0}/dashboard/ (Ctrl-C drains and stops it)",
        api.address()?
    );

    let signals = process.signals.clone();
    let (stop, hurry) = (signals.stop, signals.hurry);
    let api = async {
        api.serve(stop.clone(), hurry.clone())
            .await
            .map_err(anyhow::Error::from)
    };
    // If one part ends, drained or failed, before all are asked to stop, it stops the others.
    let chain = async {
        let worked = chain.run(stop.clone(), hurry.clone()).await;
        stop.cancel();
        Ok(worked?)
    };
    let stage = async {
        let worked = stage.run(stop.clone(), hurry.clone()).await;
        stop.cancel();
        Ok(worked?)
    };
    let ended = tokio::try_join!(api, chain, stage);
    process.end().await;
    ended?;
    Ok(ExitCode::SUCCESS)
}
