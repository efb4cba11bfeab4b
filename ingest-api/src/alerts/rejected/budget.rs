//! Rate limit for writing rejections, by source.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Rejections of an authenticated sender that are logged and stored per second and source.
const PROVEN: u32 = 20;
/// The same for a sender that is not authenticated.
const UNPROVEN: u32 = 5;

/// Counters of written rejections, by source. There are few sources: the configured ones, `alerts`
/// and `unknown`.
#[derive(Debug, Default)]
pub(super) struct Budget(Mutex<HashMap<(String, bool), Second>>);

#[derive(Debug)]
struct Second {
    begun: Instant,
    written: u32,
}

impl Budget {
    /// Counts a rejection and returns true if the limit of its source allows writing it now.
    pub(super) fn takes(&self, source: &str, is_proven: bool, now: Instant) -> bool {
        let most = if is_proven { PROVEN } else { UNPROVEN };
        let mut sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let second = sources
            .entry((source.to_owned(), is_proven))
            .or_insert(Second {
                begun: now,
                written: 0,
            });
        if now.duration_since(second.begun).as_secs() >= 1 {
            *second = Second {
                begun: now,
                written: 0,
            };
        }
        let fits = second.written < most;
        if fits {
            second.written += 1;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_source_has_its_share_of_each_second() {
        let (budget, now) = (Budget::default(), Instant::now());
        let taken = |source, is_proven, now| {
            (0..100)
                .filter(|_| budget.takes(source, is_proven, now))
                .count()
        };
        assert_eq!(taken("alerts", false, now), 5);
        assert_eq!(taken("alerts", true, now), 20);
        assert_eq!(taken("grafana", false, now), 5);
        assert_eq!(taken("alerts", false, now + Duration::from_millis(999)), 0);
        assert_eq!(taken("alerts", false, now + Duration::from_secs(1)), 5);
    }
}
