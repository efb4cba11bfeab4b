//! Decides which workers are dead, from the scans of one Postgres session.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// Time that a session gives processes to reconnect before it considers those dead that it has never seen. After an
/// outage all processes reconnect, with at most a second between two tries.
pub(crate) const GRACE: Duration = Duration::from_secs(3);
/// A process counts as dead if it is missing in two scans at least this far apart. A process that only lost its
/// connections has reconnected by then.
pub(super) const CONFIRM: Duration = Duration::from_millis(100);

/// Workers as seen by one session. A new session starts with a new tracker, because the cause that ended the old
/// session (a crashed backend, a failover, a network failure) may have ended the workers' sessions too.
#[derive(Debug)]
pub(super) struct LivenessTracker {
    since: Instant,
    /// Workers seen alive during the grace period. If one of them disappears, the outage is not the reason.
    seen: HashSet<Uuid>,
    /// Workers that were missing in every scan since the given time.
    suspects: HashMap<Uuid, Instant>,
}

impl LivenessTracker {
    pub(super) fn new(since: Instant) -> Self {
        Self {
            since,
            seen: HashSet::new(),
            suspects: HashMap::new(),
        }
    }

    /// Returns whether the grace period lasts, in which workers may not have reconnected yet.
    pub(super) fn in_grace(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < GRACE
    }

    /// Evaluates a scan. Returns the workers that are dead.
    pub(super) fn update(&mut self, alive: &[Uuid], missing: &[Uuid], now: Instant) -> Vec<Uuid> {
        let in_grace = self.in_grace(now);
        match in_grace {
            true => self.seen.extend(alive),
            false => self.seen = HashSet::new(),
        }
        let mut accused: Vec<Uuid> = missing.to_vec();
        accused.retain(|id| !in_grace || self.seen.contains(id));
        self.suspects.retain(|id, _| accused.contains(id));
        accused.retain(|id| {
            let since = *self.suspects.entry(*id).or_insert(now);
            now.saturating_duration_since(since) >= CONFIRM
        });
        accused
    }

    /// Returns whether a worker is missing and a second scan must confirm it.
    pub(super) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tracker whose grace time is over, and the present time.
    fn after_grace() -> (LivenessTracker, Instant) {
        let start = Instant::now();
        (LivenessTracker::new(start), start + GRACE)
    }

    #[test]
    fn one_missing_check_proves_nothing_and_two_apart_do() {
        let ((mut tracker, start), id) = (after_grace(), Uuid::now_v7());
        assert!(tracker.update(&[], &[id], start).is_empty());
        assert!(tracker.has_suspects());
        assert!(tracker.update(&[], &[id], start + CONFIRM / 2).is_empty());
        assert_eq!(tracker.update(&[], &[id], start + CONFIRM), [id]);
    }

    #[test]
    fn a_process_that_came_back_starts_afresh() {
        let ((mut tracker, start), id) = (after_grace(), Uuid::now_v7());
        tracker.update(&[], &[id], start);
        tracker.update(&[], &[], start + CONFIRM / 2);
        assert!(!tracker.has_suspects());
        assert!(tracker.update(&[], &[id], start + CONFIRM).is_empty());
    }

    #[test]
    fn in_the_time_of_grace_only_those_are_dead_that_were_seen_alive() {
        let (known, unknown) = (Uuid::now_v7(), Uuid::now_v7());
        let start = Instant::now();
        let mut tracker = LivenessTracker::new(start);
        assert!(tracker.update(&[known], &[unknown], start).is_empty());
        let both = [known, unknown];
        assert!(tracker.update(&[], &both, start + CONFIRM).is_empty());
        assert_eq!(tracker.update(&[], &both, start + CONFIRM * 2), [known]);
        assert!(tracker.update(&[], &[unknown], start + GRACE).is_empty());
        let dead = tracker.update(&[], &[unknown], start + GRACE + CONFIRM);
        assert_eq!(dead, [unknown]);
    }
}
