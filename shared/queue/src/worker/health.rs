//! What keeps a worker from its work.

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
    /// What keeps the worker from its work, in words for operators; `None` if nothing does.
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

    /// How the last look for jobs went.
    pub(crate) fn claimed(&self, ok: bool) {
        self.claims_fail.store(!ok, Ordering::Relaxed);
        if self.claims.swap(ok, Ordering::Relaxed) != ok {
            match ok {
                true => tracing::info!("claiming jobs"),
                false => tracing::warn!("failed to claim jobs; retrying"),
            }
        }
    }

    /// Whether no statement of a job has got through for too long.
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
