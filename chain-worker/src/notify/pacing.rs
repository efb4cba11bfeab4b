//! Spaces out posts to targets that limit their rate.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// Minimum and maximum time between two posts to a limited target.
const INTERVALS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));
/// Factor applied to the time that the target asks for, so that a post that is slightly late does not make the next
/// one early.
const MARGIN: f64 = 1.1;
/// Interval below which a target no longer counts as limited.
const UNLIMITED: Duration = Duration::from_millis(100);
/// How much too early a post may be. Jobs wake up by polling.
const EARLY: Duration = Duration::from_millis(20);

/// Time slots for the deliveries of each limited target. A target becomes limited when it answers with `Retry-After`.
/// Each post that it accepts shortens the interval by a tenth.
#[derive(Debug, Default)]
pub(super) struct Pacing(Mutex<HashMap<String, Pace>>);

#[derive(Debug)]
struct Pace {
    interval: Duration,
    /// The next free slot.
    next: Instant,
    granted: HashMap<Uuid, Instant>,
}

impl Pacing {
    /// Returns how long a delivery must wait; `None` if it may be posted now.
    pub(super) fn wait(&self, target: &str, delivery: Uuid, now: Instant) -> Option<Duration> {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = paces.get_mut(target)?;
        match pace.granted.get(&delivery) {
            Some(slot) if *slot <= now + EARLY => {
                pace.granted.remove(&delivery);
                None
            }
            Some(slot) => Some(*slot - now),
            None => Some(pace.grant(delivery, now)),
        }
    }

    /// Records that a target has rejected a post for now. Returns how long this delivery must wait.
    pub(super) fn limited(
        &self,
        target: &str,
        delivery: Uuid,
        retry_after: Duration,
        now: Instant,
    ) -> Duration {
        let interval = retry_after.clamp(INTERVALS.0, INTERVALS.1).mul_f64(MARGIN);
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = paces.entry(target.to_owned()).or_insert_with(|| Pace {
            interval,
            next: now + interval,
            granted: HashMap::new(),
        });
        pace.interval = pace.interval.max(interval);
        pace.next = pace.next.max(now + interval);
        pace.grant(delivery, now)
    }

    /// Records that a target has accepted a post.
    pub(super) fn speed_up(&self, target: &str) {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pace) = paces.get_mut(target) {
            pace.interval = pace.interval.mul_f64(0.9);
            if pace.interval < UNLIMITED {
                paces.remove(target);
            }
        }
    }
}

impl Pace {
    fn grant(&mut self, delivery: Uuid, now: Instant) -> Duration {
        let slot = self.next.max(now);
        self.next = slot + self.interval;
        // Deliveries that were withdrawn meanwhile (by a drain, or for another worker) never use their slot.
        self.granted
            .retain(|_, granted| *granted + INTERVALS.1 > now);
        self.granted.insert(delivery, slot);
        slot - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_target_gets_one_post_a_slot() {
        let (pacing, start) = (Pacing::default(), Instant::now());
        let ids: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
        assert_eq!(pacing.wait("ops", ids[0], start), None);
        let (second, slot) = (Duration::from_secs(1), Duration::from_millis(1_100));
        assert_eq!(pacing.limited("ops", ids[0], second, start), slot);
        for (turn, id) in (2..).zip(&ids[1..]) {
            assert_eq!(pacing.wait("ops", *id, start), Some(slot * turn));
            assert_eq!(
                pacing.wait("ops", *id, start),
                Some(slot * turn),
                "asked again"
            );
        }
        assert_eq!(pacing.wait("ops", ids[0], start + slot), None);
        assert_eq!(pacing.wait("other", ids[0], start), None);
    }

    #[test]
    fn a_target_that_takes_posts_again_is_unlimited_after_a_while() {
        let (pacing, start) = (Pacing::default(), Instant::now());
        let id = Uuid::now_v7();
        pacing.limited("ops", id, Duration::from_secs(1), start);
        for _ in 0..30 {
            pacing.speed_up("ops");
        }
        assert_eq!(pacing.wait("ops", Uuid::now_v7(), start), None);
    }
}
