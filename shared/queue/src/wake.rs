//! Waking workers when there is something to claim.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sqlx::{PgExecutor, PgPool};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The channel of NOTIFY that wake-ups travel on; its payload is a queue's name.
pub const CHANNEL: &str = "tarsy_jobs";

/// Wake-ups of one queue that a process may send back to back before they are spaced out.
const BURST: u32 = 16;
/// Time between wake-ups of a queue once its burst is used up.
const SPACING: Duration = Duration::from_millis(1);
/// Queues whose pace is remembered; beyond it, those that have rested are forgotten.
const REMEMBERED: usize = 64;

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
/// sends at most one NOTIFY per queue every millisecond. Cheap to clone.
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
}

async fn send(shared: Weak<Shared>, pool: PgPool) {
    let mut pace = Pace::default();
    loop {
        let Some(alive) = shared.upgrade() else {
            return;
        };
        let (due, wait) = pace.take_due(&mut alive.state().pending, Instant::now());
        if due.is_empty() {
            // Bounded, so that a sender whose wakers are gone ends: it must not keep itself
            // alive through the reference it waits on.
            let wait = wait.unwrap_or(Duration::from_secs(1));
            let _ = tokio::time::timeout(wait, alive.changed.notified()).await;
            continue;
        }
        drop(alive);
        if let Err(error) = notify(&pool, &due).await {
            tracing::debug!(?error, queues = ?due, "wake-up not sent; workers will poll");
        }
    }
}

/// How often each queue may be woken: `BURST` times at once, then once per `SPACING`.
///
/// Kept as the time at which a steady sender would be done with what was sent (GCRA).
#[derive(Default)]
struct Pace {
    done_at: HashMap<String, Instant>,
}

impl Pace {
    /// Take the queues that may be woken now; how long until one of those left may be.
    fn take_due(
        &mut self,
        pending: &mut BTreeSet<String>,
        now: Instant,
    ) -> (Vec<String>, Option<Duration>) {
        let mut wait: Option<Duration> = None;
        let mut due = Vec::new();
        pending.retain(|queue| {
            let done_at = self.done_at.get(queue).copied().unwrap_or(now).max(now);
            let early = (done_at - now).saturating_sub(SPACING * (BURST - 1));
            if early.is_zero() {
                self.done_at.insert(queue.clone(), done_at + SPACING);
                due.push(queue.clone());
            } else {
                wait = Some(wait.map_or(early, |least| least.min(early)));
            }
            !early.is_zero()
        });
        if self.done_at.len() > REMEMBERED {
            self.done_at.retain(|_, done_at| *done_at > now);
        }
        (due, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_queue_is_woken_at_once_and_a_busy_one_is_spaced_out() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let mut wake = |queues: &[&str], now| {
            let mut pending = queues.iter().map(|&queue| queue.to_owned()).collect();
            pace.take_due(&mut pending, now)
        };
        for _ in 0..BURST {
            assert_eq!(wake(&["busy"], start), (vec!["busy".to_owned()], None));
        }
        assert_eq!(
            wake(&["busy"], start),
            (vec![], Some(SPACING)),
            "its burst is used up"
        );
        let (due, wait) = wake(&["busy", "calm"], start);
        assert_eq!(
            (due, wait),
            (vec!["calm".to_owned()], Some(SPACING)),
            "others are not held back"
        );
        assert_eq!(wake(&["busy"], start + SPACING).0, ["busy"], "steady state");
        let later = start + Duration::from_secs(1);
        assert_eq!(wake(&["busy"], later).0, ["busy"], "rested");
    }
}
