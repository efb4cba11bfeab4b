//! What a configuration makes of a stage worker.

use std::sync::Arc;

use tarsy_config::{SpendingLimits, StagePlans};
use tarsy_queue::Advertised;
use tokio::sync::watch;

use crate::runner::StageRunner;

/// What runs stages. A reload puts another in its place, for stages that begin after it.
#[derive(Clone)]
pub struct StageSetup {
    /// How configured agents run stages: what the next stage of a chain is made due with.
    pub plans: StagePlans,
    /// What chains and the fleet may spend in a day.
    pub spending: SpendingLimits,
    /// What runs a stage.
    pub runner: Arc<dyn StageRunner>,
    /// What stages may require of this worker.
    pub advertised: Advertised,
}

impl StageSetup {
    /// It, unchanged while the worker runs.
    #[must_use]
    pub fn fixed(self) -> watch::Receiver<Arc<Self>> {
        watch::channel(Arc::new(self)).1
    }
}
