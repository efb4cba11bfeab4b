//! What a configuration makes of a chain worker.

use std::sync::Arc;

use sqlx::PgPool;
use tarsy_config::{AlertMasker, Config, StagePlans};
use tokio::sync::watch;

use crate::housekeeping::RetentionPolicy;
use crate::notify::{Recipients, targets};
use crate::runbooks::Runbooks;

/// What chain jobs, notifications and housekeeping go by. A reload puts another in its place.
#[derive(Clone)]
pub struct ChainSetup {
    /// How configured agents run stages.
    pub plans: StagePlans,
    /// Fetches runbooks.
    pub runbooks: Runbooks,
    /// What is kept, and for how long.
    pub retention: RetentionPolicy,
    /// Masks what search finds and what notifications say.
    pub masker: AlertMasker,
    /// Receive notifications of ended sessions.
    pub notify: Recipients,
}

impl ChainSetup {
    /// The setup of this configuration; runbooks are cached over `pool`. The process must have installed its TLS provider.
    ///
    /// # Errors
    ///
    /// [`tarsy_runbook::Error`] when the runbook fetcher can't be set up.
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

    /// It, unchanged while the worker runs.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Arc<Self>> {
        watch::channel(Arc::new(self)).1
    }
}
