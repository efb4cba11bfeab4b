//! Builds a chain worker from the configuration.

use std::sync::Arc;

use tarsy_boot::Process;
use tarsy_config::Config;
use tarsy_model::chain_worker_offers;
use tarsy_queue::{Advertised, Waker};
use tokio::sync::watch;

use crate::service::ChainService;
use crate::setup::ChainSetup;

/// Reason why a chain worker can't be built from a valid configuration.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// No database is configured.
    #[error(transparent)]
    Boot(#[from] tarsy_boot::Error),
    /// The runbook fetcher can't be set up.
    #[error("failed to set up the runbook fetcher")]
    Runbooks(#[from] tarsy_runbook::Error),
}

/// Builds the chain worker of a process. It follows reloads of the configuration.
///
/// # Errors
///
/// [`AssembleError`].
pub fn service(process: &mut Process, waker: Waker) -> Result<ChainService, AssembleError> {
    let (pool, history) = (process.pool.clone(), process.settings.history.enabled);
    let prepare = move |config: &Config| ChainSetup::new(config, &pool, history);
    let (setups, setup) = watch::channel(Arc::new(prepare(&process.config)?));
    let (advertisements, advertised_now) = watch::channel(advertised(&process.config));
    process.on_reload(move |config| {
        let (setup, advertised) = (Arc::new(prepare(config)?), advertised(config));
        let (setups, advertisements) = (setups.clone(), advertisements.clone());
        Ok(Box::new(move || {
            setups.send_replace(setup);
            advertisements.send_replace(advertised);
        }))
    });
    Ok(ChainService {
        connections: process.connections.clone(),
        direct_url: process.direct_url()?,
        slots: process.settings.chain_worker.concurrency,
        queue: process.settings.queue.clone(),
        setup,
        advertised: advertised_now,
        public_url: process.settings.chain_worker.public_url.clone(),
        waker,
    })
}

/// Returns what a chain worker advertises. It runs any chain job that this version can read, with any configuration.
fn advertised(config: &Config) -> Advertised {
    Advertised {
        offers: Some(chain_worker_offers()),
        config_hash: Some(config.hash.clone()),
    }
}
