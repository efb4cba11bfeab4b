//! What can wait rests while chains can't: in a storm of alerts the stages go first.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// Chain jobs a second, in this process, from which on there is a storm. A fleet that waits for models has few.
const STORM: f64 = 50.0;
/// Rest after a piece of work, in its own time, during a storm. These rests don't overlap, so all side work
/// together takes a twentieth of the time.
const LONG: u32 = 19;
/// The same at any other time.
const SHORT: u32 = 1;

/// Counts chain jobs, and tells side work how long to rest.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    chains: AtomicU64,
    storm_rest: Mutex<()>,
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
        let _alone = match is_storm(took, chains) {
            true => Some(self.pace.storm_rest.lock().await),
            false => None,
        };
        tokio::time::sleep(rest_after(took, chains)).await;
    }
}

/// How long to rest after work that took so long while so many chain jobs came.
fn rest_after(took: Duration, chains: u64) -> Duration {
    took * if is_storm(took, chains) { LONG } else { SHORT }
}

/// Whether so many chain jobs in so long a time are a storm.
fn is_storm(time: Duration, chains: u64) -> bool {
    chains as f64 > STORM * time.as_secs_f64()
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

    #[tokio::test]
    async fn rests_in_a_storm_follow_one_another() {
        let (pace, took) = (Pace::default(), Duration::from_millis(2));
        let started = Instant::now();
        let turn = || Turn {
            pace: &pace,
            started: started - took,
            chains: 0,
        };
        let (one, other) = (turn(), turn());
        (0..1_000).for_each(|_| pace.count());
        tokio::join!(one.rest(), other.rest());
        assert!(started.elapsed() >= took * LONG * 2);
    }
}
