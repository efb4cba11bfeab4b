//! Shortages of this process. During a shortage its workers claim nothing.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tarsy_model::Shortage;

/// First pause of all claims of the process after a shortage. Doubles while the shortage continues.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Pause of this whole process, because its workers share its files, its memory and its machine.
static PAUSE: Mutex<Option<Pause>> = Mutex::new(None);

/// A pause of claims.
#[derive(Clone, Copy, Debug)]
struct Pause {
    shortage: Shortage,
    length: Duration,
    ends: Instant,
}

impl Pause {
    /// Returns the pause after `shortage`. A shortage during a pause does not change its end. One soon after the end
    /// shows that the pause was too short, so the next pause is twice as long.
    fn after(before: Option<Self>, shortage: Shortage, now: Instant) -> Self {
        let length = match before {
            Some(pause) if now < pause.ends => return Self { shortage, ..pause },
            Some(pause) if now < pause.ends + pause.length => (pause.length * 2).min(LONGEST_PAUSE),
            _ => FIRST_PAUSE,
        };
        Self {
            shortage,
            length,
            ends: now + length,
        }
    }
}

/// Stops all claims of this process for a while, because new jobs would fail for the same reason.
pub fn note_shortage(shortage: Shortage) {
    let mut pause = PAUSE.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    if pause.is_none_or(|pause| pause.ends <= now) {
        tracing::warn!(%shortage, "this process has run into a limit of its machine; it claims nothing for a while");
        tarsy_metrics::jobs::ran_short(shortage.as_str());
    }
    *pause = Some(Pause::after(*pause, shortage, now));
}

/// Returns the shortage for which this process claims nothing at the moment.
#[must_use]
pub fn current_shortage() -> Option<Shortage> {
    let pause = *PAUSE.lock().unwrap_or_else(PoisonError::into_inner);
    pause
        .filter(|pause| Instant::now() < pause.ends)
        .map(|pause| pause.shortage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_that_continues_makes_pauses_longer_up_to_a_minute() {
        let start = Instant::now();
        let mut pause = Pause::after(None, Shortage::ProcessFiles, start);
        assert_eq!(pause.length, FIRST_PAUSE);
        let same = Pause::after(Some(pause), Shortage::Disk, start + FIRST_PAUSE / 2);
        assert_eq!(
            (same.ends, same.shortage),
            (pause.ends, Shortage::Disk),
            "of the same burst"
        );
        for length in [10, 20, 40, 60, 60] {
            pause = Pause::after(Some(pause), Shortage::Memory, pause.ends);
            assert_eq!(pause.length, Duration::from_secs(length));
        }
        let later = pause.ends + LONGEST_PAUSE;
        let next = Pause::after(Some(pause), Shortage::Memory, later);
        assert_eq!(next.length, FIRST_PAUSE);
    }
}
