//! Waking workers when there is something to claim.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sqlx::{PgExecutor, PgPool};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The channel of NOTIFY that wake-ups travel on; its payload is a queue's name.
pub const CHANNEL: &str = "tarsy_jobs";

/// Wake-ups one process may send back to back before they are spaced out.
const BURST: u32 = 16;
/// Time between wake-ups once the burst is used up.
const SPACING: Duration = Duration::from_millis(4);

/// Send one NOTIFY per queue, as a statement of its own.
///
/// Not durable on purpose (`synchronous_commit` off for this statement): a commit that only
/// carries a NOTIFY would wait for the disk like any other, and polling is the net.
pub(crate) async fn notify(
    executor: impl PgExecutor<'_>,
    queues: &[String],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select set_config('synchronous_commit', 'off', true), pg_notify($1, q)
         from unnest($2::text[]) q",
        CHANNEL,
        queues,
    )
    .fetch_all(executor)
    .await?;
    Ok(())
}

/// Tells workers, here and in other processes, that a queue has something to claim.
///
/// To be called after the commit that made jobs ready, never inside it: NOTIFY takes a lock
/// that serialises commits. Never blocks and never fails: workers poll, so a wake-up that is
/// lost costs at most a quarter of a second. An idle system is woken at once; a busy one
/// sends at most one NOTIFY per queue every 4 ms. Cheap to clone.
#[derive(Clone)]
pub struct Waker {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    pending: BTreeSet<String>,
    listeners: Vec<Listener>,
}

/// A worker of this process, which needs no NOTIFY to hear of a queue.
struct Listener {
    queues: Vec<String>,
    wake: Weak<Notify>,
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waker").finish_non_exhaustive()
    }
}

impl Waker {
    /// A waker that sends through `pool` (PgBouncer in transaction mode will do). Must be
    /// called inside a tokio runtime; its sender ends with the last clone.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Notify::new(),
        });
        tokio::spawn(send(Arc::downgrade(&shared), pool));
        Self { shared }
    }

    /// Wake the workers of `queue`.
    pub fn wake(&self, queue: &str) {
        let mut state = self.shared.state();
        state.listeners.retain(|listener| {
            let Some(wake) = listener.wake.upgrade() else {
                return false;
            };
            if listener.queues.iter().any(|q| q == queue) {
                wake.notify_one();
            }
            true
        });
        if !state.pending.contains(queue) {
            state.pending.insert(queue.to_owned());
        }
        drop(state);
        self.shared.changed.notify_one();
    }

    /// Let `wake` hear of `queues` directly.
    pub(crate) fn subscribe(&self, queues: &[String], wake: &Arc<Notify>) {
        self.shared.state().listeners.push(Listener {
            queues: queues.to_vec(),
            wake: Arc::downgrade(wake),
        });
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        // The sender holds a weak reference: let it notice the last clone's end.
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state().pending)
            .into_iter()
            .collect()
    }
}

async fn send(shared: Weak<Shared>, pool: PgPool) {
    let mut bucket = Bucket::full(Instant::now());
    loop {
        let Some(alive) = shared.upgrade() else {
            return;
        };
        let queues = alive.take();
        if queues.is_empty() {
            // Bounded, so that a sender whose wakers are gone ends: it must not keep itself
            // alive through the reference it waits on.
            let _ = tokio::time::timeout(Duration::from_secs(1), alive.changed.notified()).await;
            continue;
        }
        drop(alive);
        if let Err(error) = notify(&pool, &queues).await {
            tracing::debug!(?error, ?queues, "wake-up not sent; workers will poll");
        }
        tokio::time::sleep(bucket.take(Instant::now())).await;
    }
}

/// A token bucket: `BURST` at once, then one per `SPACING`.
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    fn full(now: Instant) -> Self {
        Self {
            tokens: f64::from(BURST),
            at: now,
        }
    }

    /// Use one token; how long to wait before the next may be used.
    fn take(&mut self, now: Instant) -> Duration {
        let refill = (now - self.at).as_secs_f64() / SPACING.as_secs_f64();
        self.tokens = (self.tokens + refill).min(f64::from(BURST)) - 1.0;
        self.at = now;
        SPACING.mul_f64((1.0 - self.tokens).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_process_wakes_at_once_and_a_busy_one_is_spaced_out() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for _ in 1..BURST {
            assert_eq!(bucket.take(start), Duration::ZERO);
        }
        assert_eq!(bucket.take(start), SPACING, "the burst is used up");
        assert_eq!(bucket.take(start + SPACING), SPACING, "steady state");
        assert_eq!(bucket.take(start + Duration::from_secs(1)), Duration::ZERO);
    }
}
