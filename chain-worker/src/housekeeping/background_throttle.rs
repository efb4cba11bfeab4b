//! Throttles background work while the rate of chain jobs is high, because chains have priority.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// Rate of chain jobs in this process, per second, above which it counts as busy. A system that waits for models has a
/// much lower rate.
const BUSY_RATE: f64 = 50.0;
/// Pause after a batch while the process is busy, as a multiple of the batch's duration. These pauses don't overlap,
/// so all background work together takes a twentieth of the time.
const BUSY_PAUSE: u32 = 19;
/// Pause after a batch while the process is idle, as a multiple of the batch's duration.
const IDLE_PAUSE: u32 = 1;

/// Counts chain jobs, and pauses background work after each batch.
#[derive(Debug, Default)]
pub(crate) struct BackgroundThrottle {
    chains: AtomicU64,
    busy_pause: Mutex<()>,
}

impl BackgroundThrottle {
    /// Counts a chain job.
    pub(crate) fn count_chain_job(&self) {
        self.chains.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts the timer of a batch.
    pub(super) fn start_batch(&self) -> BackgroundBatch<'_> {
        BackgroundBatch {
            throttle: self,
            started: Instant::now(),
            chains: self.chains.load(Ordering::Relaxed),
        }
    }
}

/// A running batch of background work.
pub(super) struct BackgroundBatch<'a> {
    throttle: &'a BackgroundThrottle,
    started: Instant,
    chains: u64,
}

impl BackgroundBatch<'_> {
    /// Pauses after the batch.
    pub(super) async fn pause(self) {
        let took = self.started.elapsed();
        let chains = self.throttle.chains.load(Ordering::Relaxed) - self.chains;
        let _alone = match is_busy(took, chains) {
            true => Some(self.throttle.busy_pause.lock().await),
            false => None,
        };
        tokio::time::sleep(pause_after_batch(took, chains)).await;
    }
}

/// Returns the pause after a batch that took this long, during which this many chain jobs arrived.
fn pause_after_batch(took: Duration, chains: u64) -> Duration {
    took * if is_busy(took, chains) {
        BUSY_PAUSE
    } else {
        IDLE_PAUSE
    }
}

/// Returns whether the process is busy: it ran more chain jobs per second than [`BUSY_RATE`].
fn is_busy(time: Duration, chains: u64) -> bool {
    chains as f64 > BUSY_RATE * time.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_work_rests_long_while_many_chains_go_on_and_shortly_otherwise() {
        let second = Duration::from_secs(1);
        assert_eq!(pause_after_batch(second, 51), second * BUSY_PAUSE);
        assert_eq!(pause_after_batch(second, 50), second * IDLE_PAUSE);
        assert_eq!(pause_after_batch(second / 100, 0), second / 100);
    }

    #[tokio::test]
    async fn rests_in_a_storm_follow_one_another() {
        let (throttle, took) = (BackgroundThrottle::default(), Duration::from_millis(2));
        let started = Instant::now();
        let batch = || BackgroundBatch {
            throttle: &throttle,
            started: started - took,
            chains: 0,
        };
        let (one, other) = (batch(), batch());
        (0..1_000).for_each(|_| throttle.count_chain_job());
        tokio::join!(one.pause(), other.pause());
        assert!(started.elapsed() >= took * BUSY_PAUSE * 2);
    }
}
