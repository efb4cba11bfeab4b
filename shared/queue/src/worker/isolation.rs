//! Runs suspects alone: jobs that were running when two workers crashed
//! (docs/decisions/0012-a-crash-counts-for-a-stage-that-ran-alone.md).

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::claim::Claimed;
use crate::worker::claim_loop::Delivery;
use crate::worker::shared::Shared;

/// How long a busy worker leaves suspects to other workers, which may be idle, before it takes one itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Decides when a worker takes a suspect.
///
/// An idle worker takes one at once. A busy worker takes one if none could be taken here for [`PATIENCE`]. It then
/// claims nothing more, and starts the suspect when its other jobs have ended. The claim after each suspect takes only
/// other jobs, so that neither kind starves.
#[derive(Debug)]
pub(crate) struct Isolation {
    /// When a claim could last take suspects while other jobs were running here.
    offered: Instant,
    had_one: bool,
}

/// Kinds of jobs that a claim may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes {
    /// Whether the claim may take suspects.
    pub(crate) suspects: bool,
    /// Whether the claim must start at the front, where jobs are that came back.
    pub(crate) from_front: bool,
    /// Whether suspects are skipped this once.
    pub(crate) passed_over: bool,
}

impl Isolation {
    pub(crate) fn new() -> Self {
        Self {
            offered: Instant::now(),
            had_one: false,
        }
    }

    /// Decides what the next claim may take.
    pub(crate) fn takes(&mut self, is_idle: bool, now: Instant) -> Takes {
        let passed_over = std::mem::take(&mut self.had_one);
        let is_due = now.saturating_duration_since(self.offered) >= PATIENCE;
        if passed_over || is_due {
            self.offered = now;
        }
        Takes {
            suspects: !passed_over && (is_idle || is_due),
            from_front: !passed_over && is_due,
            passed_over,
        }
    }

    /// Records that a claim took a suspect.
    pub(crate) fn took_one(&mut self) {
        self.had_one = true;
    }
}

/// Hands a job over once no other job runs here. The job occupies all slots, so that nothing else is claimed
/// meanwhile.
pub(crate) async fn deliver_alone(
    shared: &Shared,
    slots: &Arc<Semaphore>,
    jobs: &mpsc::UnboundedSender<Delivery>,
    claimed: Claimed,
    permits: Vec<OwnedSemaphorePermit>,
) {
    let Some(stop) = shared.in_flight.insert(&claimed) else {
        return;
    };
    let rest = shared.settings.slots.saturating_sub(permits.len());
    let rest = Arc::clone(slots).acquire_many_owned(u32::try_from(rest).unwrap_or(u32::MAX));
    let rest = tokio::select! {
        biased;
        rest = rest => rest.ok(),
        // The job will not run. After it is handed over, it is released.
        _ = stop.stopped() => None,
        () = shared.drain.cancelled() => None,
    };
    let permit = permits.into_iter().chain(rest).reduce(|mut all, permit| {
        all.merge(permit);
        all
    });
    // Fails only if apalis has ended, which happens only after this loop has ended.
    let _ = jobs.send(Delivery {
        claimed,
        stop,
        prefetched: None,
        permit,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_worker_takes_a_suspect_at_once_and_a_busy_one_if_no_other_has() {
        let mut isolation = Isolation::new();
        let start = isolation.offered;
        assert!(isolation.takes(true, start).suspects);
        assert!(!isolation.takes(false, start).suspects);
        let later = isolation.takes(false, start + PATIENCE);
        assert!(later.suspects && later.from_front);
        assert!(!isolation.takes(false, start + PATIENCE).suspects);
    }

    #[test]
    fn after_a_suspect_the_others_come_first_once() {
        let mut isolation = Isolation::new();
        let long_after = isolation.offered + PATIENCE * 9;
        isolation.took_one();
        let takes = isolation.takes(true, long_after);
        assert!(takes.passed_over && !takes.suspects);
        assert!(isolation.takes(true, long_after).suspects);
    }
}
