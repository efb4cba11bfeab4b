//! Outcomes of finished phases. The lanes use them to wait for each other.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;

use super::phase::Phase;

/// Outcome of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed(Duration),
    Failed(Duration),
    /// Excluded by this argument.
    LeftOut(&'static str),
    /// Not run because an earlier phase failed, or after Ctrl-C.
    NotReached,
}

impl Outcome {
    pub(super) fn ended(result: &Result<()>, time: Duration) -> Self {
        match result {
            Ok(()) => Self::Passed(time),
            Err(_) => Self::Failed(time),
        }
    }
}

/// Outcomes of the finished phases.
#[derive(Debug, Default)]
pub(super) struct Progress {
    ended: Mutex<Vec<(Phase, Outcome)>>,
    changed: Condvar,
}

impl Progress {
    pub(super) fn add(&self, phase: Phase, outcome: Outcome) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push((phase, outcome));
        self.changed.notify_all();
    }

    /// Waits until all of these have finished.
    pub(super) fn wait_for(&self, phases: &[Phase]) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = |ended: &mut Vec<(Phase, Outcome)>| {
            phases
                .iter()
                .any(|phase| ended.iter().all(|(one, _)| one != phase))
        };
        drop(self.changed.wait_while(ended, is_missing));
    }

    pub(super) fn outcome(&self, phase: Phase) -> Option<Outcome> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let found = ended.iter().find(|(one, _)| *one == phase);
        found.map(|(_, outcome)| *outcome)
    }

    /// Whether every selected phase ran and passed.
    pub(super) fn passed(&self) -> bool {
        Phase::ALL.iter().all(|phase| {
            matches!(
                self.outcome(*phase),
                Some(Outcome::Passed(_) | Outcome::LeftOut(_))
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_was_not_reached_is_no_success() {
        let progress = Progress::default();
        let (last, others) = Phase::ALL.split_last().unwrap();
        for phase in others {
            progress.add(*phase, Outcome::Passed(Duration::ZERO));
        }
        assert!(!progress.passed(), "{last:?} has not ended");
        progress.add(*last, Outcome::NotReached);
        assert!(!progress.passed());

        let progress = Progress::default();
        for phase in Phase::ALL {
            progress.add(phase, Outcome::LeftOut("by --skip"));
        }
        assert!(progress.passed());
    }
}
