//! Decides which workers are dead, from what one Postgres session has seen.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// How long a session waits for processes to come back before it takes those for dead that it has never seen. After
/// an outage all of them connect again, with a second at most between two tries.
pub(crate) const GRACE: Duration = Duration::from_secs(3);
/// A process counts as dead when it was missing at two looks this far apart: one that
/// merely lost its connections has them back by then.
pub(super) const CONFIRM: Duration = Duration::from_millis(100);

/// Workers as one session has seen them. A new session starts with a new tracker: whatever it was that ended the
/// old one (a crash of a backend, a failover, a cut line) may have ended the others' too.
#[derive(Debug)]
pub(super) struct LivenessTracker {
    since: Instant,
    /// Those seen alive in the time of grace: if one of them is missing, that is not the outage's doing.
    seen: HashSet<Uuid>,
    /// Those missing at every look since the time noted.
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

    /// Whether others may not have come back yet.
    pub(super) fn in_grace(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < GRACE
    }

    /// Takes in a scan. Returns the workers that are dead.
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

    /// Whether a worker is missing and a second scan must confirm it.
    pub(super) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tracker whose time of grace is over, and now.
    fn after_grace() -> (LivenessTracker, Instant) {
        let start = Instant::now();
        (LivenessTracker::new(start), start + GRACE)
    }

    #[test]
    fn one_missing_look_proves_nothing_and_two_apart_do() {
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
