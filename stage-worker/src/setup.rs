//! Setup of a stage worker, from its configuration.

use std::sync::Arc;

use tarsy_config::{SpendingLimits, StagePlans};
use tarsy_queue::Advertised;
use tokio::sync::watch;

use crate::runner::StageRunner;

/// The current setup for running stages. A reload replaces it for stages that begin afterwards.
#[derive(Clone)]
pub struct StageSetup {
    /// Plans of stages from the configured agents, used to make the next stage of a chain due.
    pub plans: StagePlans,
    /// Daily spending limits of chains and of all chains together.
    pub spending: SpendingLimits,
    /// Runner of stages.
    pub runner: Arc<dyn StageRunner>,
    /// Values that the worker advertises, e.g. what stages may require of it.
    pub advertised: Advertised,
}

impl StageSetup {
    /// Wraps the setup in a receiver for a worker that never changes it.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Arc<Self>> {
        watch::channel(Arc::new(self)).1
    }
}
