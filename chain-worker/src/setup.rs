//! Setup of a chain worker, from its configuration.

use std::sync::Arc;

use sqlx::PgPool;
use tarsy_config::{AlertMasker, Config, StagePlans};
use tokio::sync::watch;

use crate::housekeeping::RetentionPolicy;
use crate::notify::{Recipients, targets};
use crate::runbooks::Runbooks;

/// The current setup of chain jobs, notifications and housekeeping. A reload replaces it.
#[derive(Clone)]
pub struct ChainSetup {
    /// Plans of stages, from the configured agents.
    pub plans: StagePlans,
    /// Fetches runbooks.
    pub runbooks: Runbooks,
    /// Retention times.
    pub retention: RetentionPolicy,
    /// Masks search documents and notifications.
    pub masker: AlertMasker,
    /// Targets of notifications.
    pub notify: Recipients,
}

impl ChainSetup {
    /// Creates the setup of this configuration. Runbooks are cached over `pool`. The process must have installed its
    /// TLS provider.
    ///
    /// # Errors
    ///
    /// [`tarsy_runbook::Error`] if the runbook fetcher can't be set up.
    pub fn new(
        config: &Config,
        pool: &PgPool,
        history_enabled: bool,
    ) -> Result<Self, tarsy_runbook::Error> {
        Ok(Self {
            plans: config.stage_plans(),
            runbooks: Runbooks::new(pool.clone(), &config.runbooks)?,
            retention: RetentionPolicy::from_settings(&config.retention, history_enabled),
            masker: AlertMasker::from_config(config),
            notify: Recipients::new(targets(config)),
        })
    }

    /// Wraps the setup in a receiver for a worker that never changes it.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Arc<Self>> {
        watch::channel(Arc::new(self)).1
    }
}
