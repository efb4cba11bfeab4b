//! Counts pending sessions so that a limit on them is never exceeded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Upper bound of the pending sessions. It is the sum of three numbers: the sessions that the last
/// database count found, those that this process committed since that count began, and the alerts
/// that are being committed. An alert that is committed during a count may be counted twice. That
/// is on the safe side, and corrected by the next count.
///
/// Sessions of other processes are included once they are counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Result of the last count.
    counted: u64,
    /// Value of `committed` when that count began.
    committed_before: u64,
    /// Alerts since the start of this process that became sessions, or may have.
    committed: u64,
    under_way: u64,
}

/// Token for a count that has begun.
#[derive(Debug)]
pub(super) struct Counting(u64);

/// An admitted alert. If it is dropped without [`Admitted::committed`], it became no new session.
#[derive(Debug)]
pub(crate) struct Admitted(Backlog);

impl Backlog {
    /// Admits an alert, unless `limit` sessions may be pending already.
    pub(super) fn admit(&self, limit: u64) -> Option<Admitted> {
        let mut state = self.state();
        let since = state.committed - state.committed_before;
        if state.counted + since + state.under_way >= limit {
            return None;
        }
        state.under_way += 1;
        Some(Admitted(self.clone()))
    }

    /// Begins a count. Call it before the sessions are counted.
    pub(super) fn counting(&self) -> Counting {
        Counting(self.state().committed)
    }

    /// Records the result of a count.
    pub(super) fn counted(&self, Counting(committed_before): Counting, counted: u64) {
        let mut state = self.state();
        state.counted = counted;
        state.committed_before = committed_before;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted {
    /// Records that the alert became a session, or may have.
    pub(crate) fn committed(self) {
        self.0.state().committed += 1;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Backlog;

    #[test]
    fn alerts_under_way_while_others_are_counted_still_take_their_place() {
        let backlog = Backlog::default();
        let first = backlog.admit(2).expect("room");
        // The alert is not committed when the database is read, so the count does not include it.
        let counting = backlog.counting();
        backlog.counted(counting, 0);
        let second = backlog.admit(2).expect("room");
        assert!(backlog.admit(2).is_none(), "both are under way");

        first.committed();
        let counting = backlog.counting();
        second.committed();
        backlog.counted(counting, 1);
        assert!(
            backlog.admit(2).is_none(),
            "one was counted, one was committed since"
        );
    }

    #[test]
    fn what_became_no_session_and_what_has_ended_make_room() {
        let backlog = Backlog::default();
        let duplicate = backlog.admit(1).expect("room");
        drop(duplicate);
        backlog.admit(1).expect("room").committed();
        assert!(backlog.admit(1).is_none());
        let counting = backlog.counting();
        backlog.counted(counting, 0);
        assert!(backlog.admit(1).is_some());
    }
}
