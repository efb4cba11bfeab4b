//! Claims that this process holds, with the stop signals of their handlers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_model::ClaimRef;
use uuid::Uuid;

use crate::claim::Claimed;
use crate::worker::stop::{StopCause, StopSignal};

/// Claims from the moment they are taken until they are settled, by job id.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    jobs: Mutex<HashMap<Uuid, Entry>>,
    /// Jobs that are being written as held by this worker. The value is the time at which the reply to such a write
    /// was lost.
    expected: Mutex<HashMap<Uuid, Option<Instant>>>,
}

#[derive(Debug)]
struct Entry {
    epoch: i64,
    subject: Uuid,
    isolated: bool,
    stop: StopSignal,
}

impl InFlight {
    /// Registers a new claim. Returns `None` if a handler already works on this same claim.
    ///
    /// That happens after a crash of Postgres. Claims commit asynchronously, so a claim can be undone while its
    /// handler runs here. If the same process is the first to claim the job again, the claim has the same owner and
    /// epoch, and the running handler simply holds it again. A higher epoch means that another worker held the job in
    /// between, so the old handler is stopped.
    pub(crate) fn insert(&self, claimed: &Claimed) -> Option<StopSignal> {
        let mut jobs = self.jobs();
        let claim = claimed.claim;
        if let Some(old) = jobs.get(&claim.job_id) {
            if old.epoch == claim.epoch {
                return None;
            }
            old.stop.stop(StopCause::ClaimLost);
        }
        let stop = StopSignal::new();
        let entry = Entry {
            epoch: claim.epoch,
            subject: claimed.subject,
            isolated: claimed.isolated,
            stop: stop.clone(),
        };
        jobs.insert(claim.job_id, entry);
        Some(stop)
    }

    /// Removes a claim that is settled.
    pub(crate) fn remove(&self, claim: &ClaimRef) {
        let mut jobs = self.jobs();
        if jobs
            .get(&claim.job_id)
            .is_some_and(|e| e.epoch == claim.epoch)
        {
            jobs.remove(&claim.job_id);
        }
    }

    /// Records that a job is about to be written as held by this worker.
    pub(crate) fn expect(&self, id: Uuid) {
        self.expected().insert(id, None);
    }

    /// Records that the job is in flight now, or was never written.
    pub(crate) fn expect_no_more(&self, id: Uuid) {
        self.expected().remove(&id);
    }

    /// Records that it is unknown whether the job was written. If it was, its claim is orphaned.
    pub(crate) fn miss(&self, id: Uuid) {
        self.expected().insert(id, Some(Instant::now()));
    }

    /// Returns whether this worker may hold a job that no handler runs. Forgets jobs that were missed longer ago than
    /// a lease lasts, because other workers have them by then.
    pub(crate) fn misses_any(&self, lease: Duration) -> bool {
        let mut expected = self.expected();
        expected.retain(|_, missed| missed.is_none_or(|at| at.elapsed() < lease));
        expected.values().any(Option::is_some)
    }

    /// Returns whether the job is in flight or being written as held.
    pub(crate) fn knows(&self, id: Uuid) -> bool {
        // The order matters: a job is added to `jobs` before it is removed from `expected`.
        self.expected().get(&id).is_some_and(Option::is_none) || self.jobs().contains_key(&id)
    }

    /// Returns job ids and epochs of all claims.
    pub(crate) fn claims(&self) -> (Vec<Uuid>, Vec<i64>) {
        self.jobs().iter().map(|(id, e)| (*id, e.epoch)).unzip()
    }

    /// Returns whether one of the claims is for a job that runs alone, or will when the others have ended.
    pub(crate) fn is_isolating(&self) -> bool {
        self.jobs().values().any(|entry| entry.isolated)
    }

    /// Returns whether there are no claims.
    pub(crate) fn is_empty(&self) -> bool {
        self.jobs().is_empty()
    }

    /// Stops the handler of one claim.
    pub(crate) fn stop(&self, id: Uuid, epoch: i64, cause: StopCause) {
        if let Some(entry) = self.jobs().get(&id).filter(|e| e.epoch == epoch) {
            entry.stop.stop(cause);
        }
    }

    /// Stops the handlers of all jobs about `subject`.
    pub(crate) fn stop_subject(&self, subject: Uuid, cause: StopCause) {
        for entry in self.jobs().values().filter(|e| e.subject == subject) {
            entry.stop.stop(cause);
        }
    }

    /// Stops all handlers. Returns their number.
    pub(crate) fn stop_all(&self, cause: StopCause) -> usize {
        let jobs = self.jobs();
        jobs.values().for_each(|entry| entry.stop.stop(cause));
        jobs.len()
    }

    fn expected(&self) -> MutexGuard<'_, HashMap<Uuid, Option<Instant>>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<Uuid, Entry>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn claimed(id: Uuid, epoch: i64) -> Claimed {
        Claimed {
            claim: ClaimRef {
                job_id: id,
                owner: Uuid::nil(),
                epoch,
            },
            queue: "q".to_owned(),
            kind: "k".to_owned(),
            subject: id,
            payload: "null".to_owned(),
            attempts: 0,
            max_attempts: 1,
            crashes: 0,
            lone_crashes: 0,
            isolated: false,
            snoozes: 0,
            traceparent: None,
            waited: Duration::ZERO,
            priority: 0,
            rank_us: 0,
        }
    }

    #[test]
    fn the_same_claim_again_leaves_the_running_handler_alone() {
        let (in_flight, id) = (InFlight::default(), Uuid::now_v7());
        let running = in_flight.insert(&claimed(id, 5)).expect("new");
        assert!(in_flight.insert(&claimed(id, 5)).is_none());
        assert_eq!(running.cause(), None);
    }

    #[test]
    fn a_job_that_was_written_as_held_is_known_until_its_reply_is_lost() {
        let (in_flight, id) = (InFlight::default(), Uuid::now_v7());
        let long = Duration::from_secs(60);
        in_flight.expect(id);
        assert!(in_flight.knows(id) && !in_flight.misses_any(long));
        in_flight.miss(id);
        assert!(!in_flight.knows(id) && in_flight.misses_any(long));
        assert!(!in_flight.misses_any(Duration::ZERO), "others have it");

        in_flight.expect(id);
        in_flight.insert(&claimed(id, 1)).expect("new");
        in_flight.expect_no_more(id);
        assert!(in_flight.knows(id) && !in_flight.misses_any(long));
    }

    #[test]
    fn a_later_claim_of_the_same_job_stops_the_old_handler_and_outlives_its_end() {
        let (in_flight, id) = (InFlight::default(), Uuid::now_v7());
        let old = claimed(id, 5);
        let stop = in_flight.insert(&old).expect("new");
        let new = in_flight.insert(&claimed(id, 7)).expect("another claim");
        assert_eq!(stop.cause(), Some(StopCause::ClaimLost));
        assert_eq!(new.cause(), None);

        in_flight.remove(&old.claim);
        assert_eq!(in_flight.claims(), (vec![id], vec![7]));
    }
}
