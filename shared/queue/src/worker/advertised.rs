//! The values that a worker advertises to the fleet, and that may change while it runs.

use tokio::sync::watch;

/// Values that a worker advertises in its row. New claims use a changed value at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advertised {
    /// Names that jobs may require of this worker ([`NewJob::requires`](crate::NewJob::requires)). It leaves jobs that
    /// require others to other workers. `None`: offers everything.
    pub offers: Option<Vec<String>>,
    /// Hash of the configuration that the worker runs, for operators.
    pub config_hash: Option<String>,
}

impl Advertised {
    /// Returns whether jobs with these requirements may run here.
    #[must_use]
    pub fn meets(&self, requires: &[String]) -> bool {
        let offered = |offers: &Vec<String>| requires.iter().all(|name| offers.contains(name));
        self.offers.as_ref().is_none_or(offered)
    }

    /// Wraps the values in a receiver for a worker that never changes them.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Self> {
        watch::channel(self).1
    }
}

/// Returns at the next change. Never returns if the sender is gone.
pub(crate) async fn changed(advertised: &mut watch::Receiver<Advertised>) {
    if advertised.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}
