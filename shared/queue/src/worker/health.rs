//! Whether a worker does its work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows from outside whether a worker can claim jobs and keep them: a process that runs but
/// does nothing is not healthy. Cheap to clone; not healthy until the first claim.
#[derive(Debug, Clone, Default)]
pub struct Health {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    claims: AtomicBool,
    leases: AtomicBool,
}

impl Health {
    /// Whether the last look for jobs succeeded and the leases are being renewed.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.state.claims.load(Ordering::Relaxed) && self.state.leases.load(Ordering::Relaxed)
    }

    /// How the last look for jobs went.
    pub(crate) fn claimed(&self, ok: bool) {
        if self.state.claims.swap(ok, Ordering::Relaxed) != ok {
            match ok {
                true => tracing::info!("claiming jobs"),
                false => tracing::warn!("claiming jobs fails; trying again"),
            }
        }
    }

    /// Whether the leases are being renewed.
    pub(crate) fn renewed(&self, ok: bool) {
        self.state.leases.store(ok, Ordering::Relaxed);
    }
}
