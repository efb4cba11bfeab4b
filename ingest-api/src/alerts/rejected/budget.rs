//! How many rejections of a source are written in a second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Rejections of a known sender that are logged and kept, a second and source.
const PROVEN: u32 = 20;
/// Of a sender that has not shown who it is.
const UNPROVEN: u32 = 5;

/// Counts what is written, by source. Sources are few: those configured, `alerts` and `unknown`.
#[derive(Debug, Default)]
pub(super) struct Budget(Mutex<HashMap<(String, bool), Second>>);

#[derive(Debug)]
struct Second {
    begun: Instant,
    written: u32,
}

impl Budget {
    /// Whether one more rejection of this source may be written now.
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
