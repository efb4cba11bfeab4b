//! Decides which host is the primary.

use std::time::{Duration, Instant};

use crate::standing::Standing;

/// Knowledge about the hosts of a list.
#[derive(Debug)]
pub(crate) struct State {
    standings: Vec<Standing>,
    /// The host that connections go to.
    current: usize,
    /// Whether that host has taken writes since it became the current one.
    primary_known: bool,
    /// Highest timeline that tarsy has written to.
    newest: u32,
    moved_at: Option<Instant>,
}

impl State {
    pub(crate) fn new(hosts: usize) -> Self {
        Self {
            standings: vec![Standing::Unknown; hosts],
            current: 0,
            primary_known: false,
            newest: 0,
            moved_at: None,
        }
    }

    pub(crate) const fn current(&self) -> usize {
        self.current
    }

    pub(crate) fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// Returns whether the current host accepts writes, as far as is known.
    pub(crate) fn has_primary(&self) -> bool {
        self.primary_known
            && self
                .standings
                .get(self.current)
                .is_some_and(|standing| standing.timeline().is_some())
    }

    /// Returns whether each host was checked.
    pub(crate) fn is_checked(&self) -> bool {
        !self.standings.contains(&Standing::Unknown)
    }

    /// Returns whether each host was checked and none accepts writes.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.is_checked() && self.standings.iter().all(|one| one.timeline().is_none())
    }

    /// Records the state of a host. Returns whether it is new.
    pub(crate) fn note(&mut self, host: usize, standing: Standing) -> bool {
        match self.standings.get_mut(host) {
            Some(known) if *known != standing => {
                *known = standing;
                true
            }
            _ => false,
        }
    }

    /// Returns whether writes should go to this host from now on.
    ///
    /// Never chooses a host on an older timeline than was written to. Such a host is a former primary that came back,
    /// and lacks everything acknowledged since. If two hosts accept writes, the one on the newer timeline wins; on the
    /// same timeline, the current one.
    pub(crate) fn should_adopt(&self, host: usize) -> bool {
        let timeline = |host: usize| self.standings.get(host).and_then(Standing::timeline);
        let Some(offered) = timeline(host).filter(|offered| *offered >= self.newest) else {
            return false;
        };
        if host == self.current {
            return !self.primary_known || offered > self.newest;
        }
        match timeline(self.current).filter(|_| self.primary_known) {
            Some(current) => offered > current,
            None => true,
        }
    }

    /// Sends writes to this host. Returns whether it is another host than before.
    pub(crate) fn adopt(&mut self, host: usize, now: Instant) -> bool {
        if let Some(timeline) = self.standings.get(host).and_then(Standing::timeline) {
            self.newest = self.newest.max(timeline);
        }
        let moves = host != self.current;
        self.current = host;
        self.primary_known = true;
        if moves {
            self.moved_at = Some(now);
        }
        moves
    }

    /// Returns whether a connection of this age was opened before the last move to another host.
    pub(crate) fn predates_move(&self, age: Duration, now: Instant) -> bool {
        self.moved_at
            .is_some_and(|moved| now.saturating_duration_since(moved) <= age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primary(timeline: u32) -> Standing {
        Standing::Primary { timeline }
    }

    /// Returns a state in which the first of two hosts is the primary, on timeline 1.
    fn with_primary() -> State {
        let mut state = State::new(2);
        state.note(0, primary(1));
        assert!(state.should_adopt(0));
        assert!(!state.adopt(0, Instant::now()), "it was the first anyway");
        state
    }

    #[test]
    fn the_first_host_that_takes_writes_is_adopted_and_stays() {
        let mut state = State::new(2);
        state.note(0, Standing::Standby);
        assert!(!state.should_adopt(0) && !state.has_primary() && !state.is_hopeless());
        state.note(1, Standing::ReadOnly);
        assert!(!state.should_adopt(1) && state.is_hopeless());
        state.note(1, primary(1));
        assert!(state.should_adopt(1) && state.adopt(1, Instant::now()));
        assert!(state.has_primary() && !state.should_adopt(1));
    }

    #[test]
    fn a_promoted_standby_takes_over_even_before_the_old_primary_is_known_to_be_lost() {
        let mut state = with_primary();
        state.note(1, Standing::Standby);
        assert!(!state.should_adopt(1));
        state.note(1, primary(2));
        assert!(state.should_adopt(1));
    }

    #[test]
    fn a_former_primary_that_comes_back_is_left_alone() {
        let mut state = with_primary();
        state.note(0, Standing::Away(String::new()));
        state.note(1, primary(2));
        assert!(state.adopt(1, Instant::now()));
        state.note(0, primary(1));
        assert!(!state.should_adopt(0));
        // This also holds while the host that took over is away.
        state.note(1, Standing::Away(String::new()));
        assert!(!state.should_adopt(0) && !state.has_primary());
        // After it was rewound and promoted again, it counts.
        state.note(0, primary(3));
        assert!(state.should_adopt(0));
    }

    #[test]
    fn connections_from_before_the_move_are_outdated() {
        let mut state = with_primary();
        let start = Instant::now();
        let second = Duration::from_secs(1);
        assert!(!state.predates_move(second, start));
        state.note(1, primary(2));
        state.adopt(1, start);
        assert!(state.predates_move(second * 3, start + second));
        assert!(!state.predates_move(second / 2, start + second));
    }
}
