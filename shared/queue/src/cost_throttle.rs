//! Throttle for costly queries: bounds the share of time that they take.

use std::time::{Duration, Instant};

/// Throttles scans of a whole index, based on the cost of the last scan.
///
/// Such scans also read dead index entries. While a long transaction keeps those from being removed, each scan costs
/// more than the one before. At their usual pace these scans would take up the whole machine.
#[derive(Debug)]
pub(crate) struct CostThrottle {
    share: u32,
    last: Option<(Instant, Duration)>,
}

impl CostThrottle {
    /// Creates a throttle for scans that may take at most 1 part in `share` of the time.
    pub(crate) const fn new(share: u32) -> Self {
        Self { share, last: None }
    }

    /// Divides that share among `lookers` processes that all run the scan.
    pub(crate) const fn share_among(&mut self, share: u32, lookers: u32) {
        self.share = share.saturating_mul(lookers);
    }

    /// Returns whether a scan is due: at least `every` has passed since the last one, and at least `share` times its
    /// duration.
    pub(crate) fn is_due(&self, every: Duration, now: Instant) -> bool {
        self.last.is_none_or(|(ended, took)| {
            now.saturating_duration_since(ended) >= every.max(took * self.share)
        })
    }

    /// Records the end of a scan that began at `started`.
    pub(crate) fn done(&mut self, started: Instant) {
        self.done_after(started, Instant::now());
    }

    fn done_after(&mut self, started: Instant, ended: Instant) {
        self.last = Some((ended, ended.saturating_duration_since(started)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_are_as_rare_as_they_are_expensive() {
        let mut throttle = CostThrottle::new(20);
        let (start, millis) = (Instant::now(), Duration::from_millis);
        assert!(throttle.is_due(millis(1000), start), "nothing is known yet");
        throttle.done_after(start, start + millis(1));
        let ended = start + millis(1);
        assert!(!throttle.is_due(millis(0), ended + millis(19)));
        assert!(throttle.is_due(millis(0), ended + millis(20)));
        assert!(!throttle.is_due(millis(1000), ended + millis(999)));
        assert!(throttle.is_due(millis(1000), ended + millis(1000)));
        throttle.done_after(start, start + millis(300));
        let ended = start + millis(300);
        assert!(!throttle.is_due(millis(1000), ended + millis(5999)));
        assert!(throttle.is_due(millis(1000), ended + millis(6000)));
    }
}
