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
    claims_fail: AtomicBool,
    leases: AtomicBool,
    is_cut_off: AtomicBool,
}

impl Health {
    /// Whether the last look for jobs succeeded, the leases are being renewed, and what jobs write gets
    /// through.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.state.claims.load(Ordering::Relaxed)
            && self.state.leases.load(Ordering::Relaxed)
            && !self.state.is_cut_off.load(Ordering::Relaxed)
    }

    /// What keeps the worker from its work, in words for operators; `None` if nothing does.
    #[must_use]
    pub fn trouble(&self) -> Option<&'static str> {
        if self.state.is_cut_off.load(Ordering::Relaxed) {
            return Some("its statements get no answer; its jobs go to others");
        }
        let claims_fail = self.state.claims_fail.load(Ordering::Relaxed);
        claims_fail.then_some("it can't claim jobs")
    }

    /// How the last look for jobs went.
    pub(crate) fn claimed(&self, ok: bool) {
        self.state.claims_fail.store(!ok, Ordering::Relaxed);
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

    /// Whether no statement of a job has got through for too long.
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        if self.state.is_cut_off.swap(is_cut_off, Ordering::Relaxed) != is_cut_off {
            match is_cut_off {
                true => tracing::warn!(
                    "statements get no answer, though leases are renewed; this worker gives its jobs to others"
                ),
                false => tracing::info!("statements get answers again"),
            }
        }
    }
}
