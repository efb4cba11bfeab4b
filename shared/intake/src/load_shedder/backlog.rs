//! How many sessions wait at most, counted so that a limit on them holds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An upper bound of the sessions that wait: those that a look at the database counted, those
/// that were committed here since that look began, and the alerts under way. An alert that is
/// committed while a look counts may be in it twice, which errs on the safe side until the next.
///
/// What other processes accepted is known when it was counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// By the last look that ended.
    counted: u64,
    /// `committed` when that look began.
    committed_before: u64,
    /// Alerts that became sessions here, or may have, since the start.
    committed: u64,
    under_way: u64,
}

/// When a look began.
#[derive(Debug)]
pub(super) struct Counting(u64);

/// An alert that was let in. Dropped, it became no session of its own.
#[derive(Debug)]
pub(crate) struct Admitted(Backlog);

impl Backlog {
    /// Let one in, unless this many may wait already.
    pub(super) fn admit(&self, limit: u64) -> Option<Admitted> {
        let mut state = self.state();
        let since = state.committed - state.committed_before;
        if state.counted + since + state.under_way >= limit {
            return None;
        }
        state.under_way += 1;
        Some(Admitted(self.clone()))
    }

    /// To be called before sessions are counted.
    pub(super) fn counting(&self) -> Counting {
        Counting(self.state().committed)
    }

    /// So many were counted.
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
    /// It became a session, or may have.
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
        // Not committed when the look reads: it counts nothing.
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
