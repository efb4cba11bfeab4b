//! What a worker tells the fleet about itself, and what may change while it runs.

use tokio::sync::watch;

/// What a worker advertises in its row: new claims go by it as soon as it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advertised {
    /// What jobs may require of it ([`NewJob::requires`](crate::NewJob::requires)); others are left to other
    /// workers. `None`: everything.
    pub offers: Option<Vec<String>>,
    /// The configuration that it runs, for operators.
    pub config_hash: Option<String>,
}

impl Advertised {
    /// Whether jobs that require this may run here.
    #[must_use]
    pub fn meets(&self, requires: &[String]) -> bool {
        let offered = |offers: &Vec<String>| requires.iter().all(|name| offers.contains(name));
        self.offers.as_ref().is_none_or(offered)
    }

    /// It, unchanged while the worker runs.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Self> {
        watch::channel(self).1
    }
}

/// Returns at the next change; never, if nobody can make one any more.
pub(crate) async fn changed(advertised: &mut watch::Receiver<Advertised>) {
    if advertised.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}
