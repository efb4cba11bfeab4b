//! What can wait rests while chains can't: in a storm of alerts the stages go first.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Chain jobs a second, in this process, from which on there is a storm. A fleet that waits for models has few.
const STORM: f64 = 50.0;
/// Rest after a piece of work, in its own time, during a storm: it takes a twentieth of the time.
const LONG: u32 = 19;
/// The same at any other time.
const SHORT: u32 = 1;

/// Counts chain jobs, and tells side work how long to rest.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    chains: AtomicU64,
}

impl Pace {
    /// A chain job has come.
    pub(crate) fn count(&self) {
        self.chains.fetch_add(1, Ordering::Relaxed);
    }

    /// A piece of side work begins.
    pub(super) fn turn(&self) -> Turn<'_> {
        Turn {
            pace: self,
            started: Instant::now(),
            chains: self.chains.load(Ordering::Relaxed),
        }
    }
}

/// A piece of side work that is under way.
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    started: Instant,
    chains: u64,
}

impl Turn<'_> {
    /// Rest, now that it is done.
    pub(super) async fn rest(self) {
        let took = self.started.elapsed();
        let chains = self.pace.chains.load(Ordering::Relaxed) - self.chains;
        tokio::time::sleep(rest_after(took, chains)).await;
    }
}

/// How long to rest after work that took so long while so many chain jobs came.
fn rest_after(took: Duration, chains: u64) -> Duration {
    let is_storm = chains as f64 > STORM * took.as_secs_f64();
    took * if is_storm { LONG } else { SHORT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_work_rests_long_while_many_chains_go_on_and_shortly_otherwise() {
        let second = Duration::from_secs(1);
        assert_eq!(rest_after(second, 51), second * LONG);
        assert_eq!(rest_after(second, 50), second * SHORT);
        assert_eq!(rest_after(second / 100, 0), second / 100);
    }
}
