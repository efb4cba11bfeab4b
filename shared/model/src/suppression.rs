//! Rules for alerts that were investigated already and are not investigated again.

use std::time::Duration;

use serde::Serialize;

/// Which repeated alerts of a chain are suppressed. A suppressed alert is counted on the earlier session and not
/// investigated again.
///
/// A session that failed or was cancelled suppresses nothing, because it gave no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Suppression {
    /// How long alerts are suppressed after the end of the session.
    pub cooldown: Option<Duration>,
    /// Suppression beyond the cooldown while the alert is flapping.
    pub flapping: Option<Flapping>,
}

/// When an alert counts as flapping: after `times` occurrences `within` a period, suppressed occurrences included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flapping {
    /// Number of occurrences.
    pub times: u16,
    /// Period in which they happen.
    pub within: Duration,
}

/// Reason why an alert is suppressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppressed {
    /// Its last session ended a short time ago.
    Cooldown,
    /// It is flapping.
    Flapping,
}

impl Suppression {
    /// Returns how many occurrences must be stored.
    #[must_use]
    pub fn remembered(&self) -> u16 {
        self.flapping.map_or(1, |flapping| flapping.times)
    }

    /// Returns why an alert is suppressed at `now_us`, or `None` if it is not. `occurrences` are the times of its last
    /// occurrences, this one included, oldest first. `completed_us` is when its last session completed, `None` if it
    /// still runs. All times are Unix microseconds.
    /// first; `completed_us` is when its last session was completed, `None` if that still runs. Unix microseconds.
    #[must_use]
    pub fn reason(
        &self,
        now_us: i64,
        completed_us: Option<i64>,
        occurrences: &[i64],
    ) -> Option<Suppressed> {
        let is_within = |from_us: i64, limit: Duration| {
            let passed = u128::try_from(now_us.saturating_sub(from_us)).unwrap_or(0);
            passed < limit.as_micros()
        };
        let is_cooling = |limit| completed_us.is_none_or(|us| is_within(us, limit));
        if self.cooldown.is_some_and(is_cooling) {
            return Some(Suppressed::Cooldown);
        }
        let flapping = self.flapping?;
        let last = occurrences.len().checked_sub(usize::from(flapping.times))?;
        is_within(occurrences[last], flapping.within).then_some(Suppressed::Flapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    fn policy() -> Suppression {
        Suppression {
            cooldown: Some(Duration::from_mins(10)),
            flapping: Some(Flapping {
                times: 3,
                within: Duration::from_hours(1),
            }),
        }
    }

    #[test]
    fn an_alert_is_suppressed_until_its_cooldown_is_over() {
        let reason = |minute: i64| policy().reason(minute * MINUTE, Some(0), &[minute * MINUTE]);
        assert_eq!(reason(9), Some(Suppressed::Cooldown));
        assert_eq!(reason(10), None);
        let while_it_runs = policy().reason(9 * MINUTE, None, &[9 * MINUTE]);
        assert_eq!(while_it_runs, Some(Suppressed::Cooldown));
        assert_eq!(Suppression::default().reason(1, Some(0), &[1]), None);
    }

    #[test]
    fn a_flapping_alert_is_suppressed_until_it_is_quiet() {
        let occurrences = [0, 20 * MINUTE, 50 * MINUTE];
        let reason = |minute: i64| policy().reason(minute * MINUTE, Some(0), &occurrences);
        assert_eq!(reason(50), Some(Suppressed::Flapping));
        assert_eq!(reason(60), None, "the third last is an hour ago");
        assert_eq!(
            policy().reason(50 * MINUTE, Some(0), &occurrences[1..]),
            None,
            "two are not three"
        );
    }
}
