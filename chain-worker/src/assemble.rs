//! Builds a chain worker from the configuration.

use tarsy_boot::Process;
use tarsy_config::AlertMasker;
use tarsy_queue::Waker;

use crate::housekeeping::RetentionPolicy;
use crate::notify::targets;
use crate::runbooks::Runbooks;
use crate::service::ChainService;

/// Why a chain worker can't be built from a valid configuration.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// No database is configured.
    #[error(transparent)]
    Boot(#[from] tarsy_boot::Error),
    /// The runbook fetcher can't be set up.
    #[error("failed to set up the runbook fetcher")]
    Runbooks(#[from] tarsy_runbook::Error),
}

/// Builds the chain worker of a process.
///
/// # Errors
///
/// [`AssembleError`].
pub fn service(process: &Process, waker: Waker) -> Result<ChainService, AssembleError> {
    Ok(ChainService {
        connections: process.connections.clone(),
        direct_url: process.direct_url()?,
        slots: process.settings.chain_worker.concurrency,
        queue: process.settings.queue.clone(),
        plans: process.config.stage_plans(),
        runbooks: Runbooks::new(process.pool.clone(), &process.config.runbooks)?,
        notify: targets(&process.config),
        public_url: process.settings.chain_worker.public_url.clone(),
        retention: RetentionPolicy::of(&process.config.retention, process.settings.history.enabled),
        masker: AlertMasker::of(&process.config),
        waker,
    })
}
