//! The process, which runs a worker until a signal stops it.

use tarsy_boot::Process;
use tarsy_config::Variables;
use tarsy_queue::Waker;

/// Runs a `stage-worker` process until it ends.
///
/// # Errors
///
/// Any error that keeps the process from starting, or ends it.
pub async fn run_process() -> anyhow::Result<()> {
    let mut process = Process::start("stage-worker", Variables::Required)?;
    process.serve_ops(tarsy_boot::STAGE_WORKER_PORT).await?;
    process.sweep()?;
    let waker = Waker::new(process.connections.clone());
    let service = crate::service(&mut process, waker)?;
    process.follow_config();
    let signals = process.signals.clone();
    let worked = service.run(signals.stop, signals.hurry).await;
    process.end().await;
    Ok(worked?)
}
