//! A clock for loops. It runs slower while its loop is late.

use std::time::{Duration, Instant};

/// How much longer than its planned pause a round may take and still be on time.
const ROUND: Duration = Duration::from_millis(25);
/// A late round counts for at least 1 part in this many of its time, so that every wait ends.
const LEAST_SHARE: u32 = 10;

/// Measures the time in which a loop kept its pace.
///
/// Deadlines for other processes to show signs of life are measured by this clock. If the loop is late, the machine is
/// busy or Postgres is slow, and other processes are late for the same reason.
#[derive(Debug)]
pub(crate) struct LoopClock {
    start: Instant,
    last: Instant,
    elapsed: Duration,
}

impl LoopClock {
    pub(crate) const fn new(start: Instant) -> Self {
        Self {
            start,
            last: start,
            elapsed: Duration::ZERO,
        }
    }

    /// Records that a round begins at `now`, after a planned pause of `planned`. Returns the time by this clock.
    pub(crate) fn advance(&mut self, planned: Duration, now: Instant) -> Instant {
        let took = now.saturating_duration_since(self.last);
        self.last = now;
        self.elapsed += took.min((planned + ROUND).max(took / LEAST_SHARE));
        self.start + self.elapsed
    }

    /// Returns the time since the start by this clock.
    pub(crate) const fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_round_counts_as_planned_and_a_very_late_one_for_a_tenth() {
        let (start, millis) = (Instant::now(), Duration::from_millis);
        let mut clock = LoopClock::new(start);
        let on_time = clock.advance(millis(75), start + millis(80));
        assert_eq!(on_time, start + millis(80));
        clock.advance(millis(75), start + millis(380));
        assert_eq!(clock.elapsed(), millis(180), "75 ms and a round");
        clock.advance(millis(75), start + millis(4380));
        assert_eq!(clock.elapsed(), millis(580), "a tenth of 4 s");
    }
}
