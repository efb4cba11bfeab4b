//! Whether a runbook can be had, asked before an alert names it.

use std::fmt;
use std::sync::Arc;

use tarsy_config::RunbookConfig;
use tarsy_runbook::{Error, NoCache, Runbook, RunbookFetcher};
use tokio::sync::Semaphore;

/// Runbooks that are asked for at once; more wait their turn.
const AT_ONCE: usize = 4;

/// Asks for runbooks as chain workers do, with their guards, and keeps nothing.
pub(crate) struct RunbookCheck {
    fetcher: RunbookFetcher,
    turns: Semaphore,
}

impl fmt::Debug for RunbookCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunbookCheck").finish_non_exhaustive()
    }
}

impl RunbookCheck {
    /// A check of what this configuration lets be asked.
    ///
    /// # Errors
    ///
    /// [`Error::Egress`] when TLS can't be set up.
    pub(crate) fn new(config: &RunbookConfig) -> Result<Self, Error> {
        Ok(Self {
            fetcher: RunbookFetcher::new(config, Arc::new(NoCache))?,
            turns: Semaphore::new(AT_ONCE),
        })
    }

    /// Ask for a runbook now.
    pub(crate) async fn ask(&self, named: &str) -> Result<Runbook, Error> {
        // Never closed: without a turn nobody would be kept out.
        let _turn = self.turns.acquire().await;
        self.fetcher.fetch(named).await
    }
}
