//! Wakes workers when there are jobs to claim.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sqlx::PgConnection;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::broadcast::send_notifications;
use crate::deadline::within_deadline;
use crate::{Connections, supervise};

/// NOTIFY channel that wakes workers. The payload is the name of the queue.
pub(crate) const CHANNEL: &str = "tarsy_jobs";
/// Like [`CHANNEL`], for jobs that came back at an old rank. A claim that starts where the last one ended would miss
/// them.
pub(crate) const RETURNED_CHANNEL: &str = "tarsy_returned";
/// NOTIFY channel that wakes event readers, without a payload. Workers have nothing to do with events and don't listen
/// to it.
pub const EVENTS_CHANNEL: &str = "tarsy_events";

/// Number of wake-ups of a queue that a process may send back to back before they are spaced out.
const BURST: u32 = 16;
/// Time between wake-ups of a queue once its burst is used up.
const SPACING: Duration = Duration::from_millis(1);
/// Time between two wake-ups of event readers. Each NOTIFY wakes every listening connection of the database, no matter
/// which channels it listens to. Users don't notice a delay of five milliseconds.
const EVENTS_SPACING: Duration = Duration::from_millis(5);
/// Number of calls whose send times are kept. Above it, calls that are within their rate limit are forgotten.
const REMEMBERED: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Call {
    /// Wakes event readers.
    Events,
    /// Wakes the workers of a queue.
    Queue(String),
    /// Wakes the workers of a queue to which jobs came back.
    Returned(String),
}

impl Call {
    fn channel(&self) -> &'static str {
        match self {
            Self::Events => EVENTS_CHANNEL,
            Self::Queue(_) => CHANNEL,
            Self::Returned(_) => RETURNED_CHANNEL,
        }
    }

    /// Returns how many calls may be sent back to back, and the time between calls after that.
    const fn rate_limit(&self) -> (u32, Duration) {
        match self {
            Self::Events => (1, EVENTS_SPACING),
            Self::Queue(_) | Self::Returned(_) => (BURST, SPACING),
        }
    }

    fn payload(&self) -> &str {
        match self {
            Self::Events => "",
            Self::Queue(queue) | Self::Returned(queue) => queue,
        }
    }
}

/// Sends one NOTIFY for each call, in a separate statement.
pub(crate) async fn notify(conn: &mut PgConnection, calls: &[Call]) -> Result<(), sqlx::Error> {
    let channels: Vec<&str> = calls.iter().map(Call::channel).collect();
    let payloads: Vec<&str> = calls.iter().map(Call::payload).collect();
    send_notifications(conn, &channels, &payloads).await
}

/// Wakes workers, in this and other processes, when a queue has jobs to claim, and event readers when there are new
/// events.
///
/// Call it after the commit that made jobs ready or wrote events, never inside the transaction: NOTIFY takes a lock
/// that serialises commits. It never blocks and never fails. Workers poll, so a lost wake-up costs at most a quarter
/// of a second. On an idle system wake-ups are sent at once. A busy process sends at most one NOTIFY per queue every
/// millisecond, and one for events every five. Cheap to clone.
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
    pending: BTreeSet<Call>,
    listeners: Vec<Listener>,
    receivers: Vec<Receiver>,
}

/// A callback for the broadcasts of a channel.
struct Receiver {
    channel: &'static str,
    take: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A worker of this process, which is woken without a NOTIFY.
struct Listener {
    queues: Vec<String>,
    bell: Weak<Bell>,
}

/// Signal for a claim loop that there may be jobs to claim, possibly at the front of their queue.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: Notify,
    returned: AtomicBool,
}

impl Bell {
    /// Signals that there may be jobs to claim.
    pub(crate) fn ring(&self) {
        self.rung.notify_one();
    }

    /// Signals that jobs came back, so the next claim starts at the front of their queue.
    pub(crate) fn ring_for_returned(&self) {
        self.returned.store(true, Ordering::Release);
        self.ring();
    }

    /// Waits until the bell rings. Returns at once if it has rung since the last call.
    pub(crate) async fn rung(&self) {
        self.rung.notified().await;
    }

    /// Returns whether jobs came back since the last call.
    pub(crate) fn take_returned(&self) -> bool {
        self.returned.swap(false, Ordering::AcqRel)
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waker").finish_non_exhaustive()
    }
}

impl Waker {
    /// Creates a waker that sends over `connections` (PgBouncer in transaction mode is supported). Must be called
    /// inside a tokio runtime. Its sender task ends with the last clone.
    #[must_use]
    pub fn new(connections: impl Into<Connections>) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Notify::new(),
        });
        let (weak, connections) = (Arc::downgrade(&shared), connections.into());
        let mut throttle = NotifyThrottle::default();
        tokio::spawn(supervise("waking workers", async move || {
            send(&weak, &connections, &mut throttle).await;
        }));
        Self { shared }
    }

    /// Wakes the workers of `queue`.
    pub fn wake(&self, queue: &str) {
        self.ring(queue, Bell::ring);
        self.call(Call::Queue(queue.to_owned()));
    }

    /// Wakes the workers of `queue`, to which jobs came back at their old ranks.
    pub fn wake_for_returned(&self, queue: &str) {
        self.ring(queue, Bell::ring_for_returned);
        self.call(Call::Returned(queue.to_owned()));
    }

    /// Rings the bells of this process's workers that serve `queue`.
    fn ring(&self, queue: &str, ring: fn(&Bell)) {
        self.shared.state().listeners.retain(|listener| {
            let Some(bell) = listener.bell.upgrade() else {
                return false;
            };
            if listener.queues.iter().any(|q| q == queue) {
                ring(&bell);
            }
            true
        });
    }

    /// Wakes event readers.
    pub fn wake_watchers(&self) {
        self.call(Call::Events);
    }

    fn call(&self, call: Call) {
        self.shared.state().pending.insert(call);
        self.shared.changed.notify_one();
    }

    /// Makes workers that use this waker listen to [broadcasts](fn@crate::broadcast) of a channel. Must be called
    /// before they start. `take` gets each payload on the thread that renews the leases, and must not block it.
    pub fn on_broadcast(&self, channel: &'static str, take: impl Fn(&str) + Send + Sync + 'static) {
        let take = Arc::new(take);
        self.shared
            .state()
            .receivers
            .push(Receiver { channel, take });
    }

    /// Returns the channels of broadcasts that have a receiver here.
    pub(crate) fn broadcast_channels(&self) -> Vec<&'static str> {
        let state = self.shared.state();
        let channels: BTreeSet<_> = state.receivers.iter().map(|one| one.channel).collect();
        channels.into_iter().collect()
    }

    /// Passes a broadcast to its receivers. Returns whether the channel has any.
    pub(crate) fn take_broadcast(&self, channel: &str, payload: &str) -> bool {
        let state = self.shared.state();
        let receivers = state.receivers.iter().filter(|one| one.channel == channel);
        let takers: Vec<_> = receivers.map(|one| Arc::clone(&one.take)).collect();
        drop(state);
        takers.iter().for_each(|take| take(payload));
        !takers.is_empty()
    }

    /// Makes wake-ups of `queues` in this process ring `bell` directly.
    pub(crate) fn subscribe(&self, queues: &[String], bell: &Arc<Bell>) {
        self.shared.state().listeners.push(Listener {
            queues: queues.to_vec(),
            bell: Arc::downgrade(bell),
        });
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        // The sender holds only a weak reference. Wake it so that it notices when the last clone is gone.
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send(shared: &Weak<Shared>, connections: &Connections, throttle: &mut NotifyThrottle) {
    loop {
        let Some(alive) = shared.upgrade() else {
            return;
        };
        let (due, wait) = throttle.take_due(&mut alive.state().pending, Instant::now());
        if due.is_empty() {
            // The wait is limited so that the sender ends once all wakers are gone. Otherwise the reference that it
            // waits on would keep it alive.
            let wait = wait.unwrap_or(Duration::from_secs(1));
            let _ = tokio::time::timeout(wait, alive.changed.notified()).await;
            continue;
        }
        drop(alive);
        if let Err(error) = notify_over(connections, &due).await {
            tracing::debug!(?error, calls = ?due, "wake-up not sent; workers will poll");
        }
    }
}

async fn notify_over(connections: &Connections, calls: &[Call]) -> Result<(), sqlx::Error> {
    within_deadline(async {
        let mut conn = connections.acquire().await?;
        notify(&mut conn, calls).await?;
        connections.keep(conn);
        Ok(())
    })
    .await
}

/// Limits how often each call is sent: a burst at once, then one per interval ([`Call::rate_limit`]).
///
/// For each call it stores the time at which a steady sender would have sent everything so far (GCRA).
#[derive(Default)]
struct NotifyThrottle {
    done_at: HashMap<Call, Instant>,
}

impl NotifyThrottle {
    /// Takes the calls that may be sent now. Also returns the time until one of the others may be sent.
    fn take_due(
        &mut self,
        pending: &mut BTreeSet<Call>,
        now: Instant,
    ) -> (Vec<Call>, Option<Duration>) {
        let mut wait: Option<Duration> = None;
        let mut due = Vec::new();
        pending.retain(|call| {
            let done_at = self.done_at.get(call).copied().unwrap_or(now).max(now);
            let (burst, spacing) = call.rate_limit();
            let early = (done_at - now).saturating_sub(spacing * (burst - 1));
            if early.is_zero() {
                self.done_at.insert(call.clone(), done_at + spacing);
                due.push(call.clone());
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
        let (mut throttle, start) = (NotifyThrottle::default(), Instant::now());
        let [busy, calm] = ["busy", "calm"].map(|name| [Call::Queue(name.to_owned())]);
        let mut wake =
            |calls: &[Call], now| throttle.take_due(&mut calls.iter().cloned().collect(), now);
        for _ in 0..BURST {
            assert_eq!(wake(&busy, start), (busy.to_vec(), None));
        }
        assert_eq!(
            wake(&busy, start),
            (vec![], Some(SPACING)),
            "its burst is used up"
        );
        let both = [busy.clone(), calm.clone()].concat();
        assert_eq!(
            wake(&both, start),
            (calm.to_vec(), Some(SPACING)),
            "others are not held back"
        );
        let (later, rested) = (start + SPACING, start + Duration::from_secs(1));
        assert_eq!(wake(&busy, later).0, busy, "steady state");
        assert_eq!(wake(&busy, rested).0, busy, "rested");

        let events = [Call::Events];
        assert_eq!(wake(&events, start), (events.to_vec(), None), "at once");
        assert_eq!(
            wake(&events, later),
            (vec![], Some(EVENTS_SPACING - SPACING))
        );
        assert_eq!(wake(&events, start + EVENTS_SPACING).0, events);
    }
}
