//! Health of a worker: whether anything prevents it from working.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::shortage::current_shortage;

/// Whether a worker can claim jobs and write their outcomes.
#[derive(Debug, Default)]
pub(crate) struct Health {
    claims: AtomicBool,
    claims_fail: AtomicBool,
    is_cut_off: AtomicBool,
}

impl Health {
    /// Describes to operators what prevents the worker from working; `None` if nothing does.
    pub(crate) fn trouble(&self) -> Option<String> {
        if let Some(shortage) = current_shortage() {
            return Some(format!("{shortage}; it claims no jobs for a while"));
        }
        if self.is_cut_off.load(Ordering::Relaxed) {
            return Some("its statements get no answer; its jobs go to others".to_owned());
        }
        let claims_fail = self.claims_fail.load(Ordering::Relaxed);
        claims_fail.then(|| "it can't claim jobs".to_owned())
    }

    /// Records whether the last claim succeeded.
    pub(crate) fn claimed(&self, ok: bool) {
        self.claims_fail.store(!ok, Ordering::Relaxed);
        if self.claims.swap(ok, Ordering::Relaxed) != ok {
            match ok {
                true => tracing::info!("claiming jobs"),
                false => tracing::warn!("failed to claim jobs; retrying"),
            }
        }
    }

    /// Records whether no statement of a job has succeeded for too long.
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        if self.is_cut_off.swap(is_cut_off, Ordering::Relaxed) != is_cut_off {
            match is_cut_off {
                true => tracing::warn!(
                    "statements get no answer, though leases are renewed; this worker gives its jobs to others"
                ),
                false => tracing::info!("statements get answers again"),
            }
        }
    }
}
