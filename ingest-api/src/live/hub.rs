//! Subscriptions of the sockets of this process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use tarsy_model::{AnswerPiece, SessionId};
use tarsy_store::event_log::EventRecord;
use tokio::sync::{Notify, watch};

use crate::live::channel::Channel;
use crate::live::epochs::Epochs;
use crate::live::outbox::Outbox;
use crate::live::render;

/// Hub that distributes events to the sockets that subscribe to their channels. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hub {
    inner: Arc<Mutex<Inner>>,
    begun: Arc<watch::Sender<bool>>,
    has_joined: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Id of the last event that was published.
    position: i64,
    next_socket: u64,
    sockets: usize,
    /// Number of sockets of each holder.
    of_one: HashMap<String, usize>,
    listeners: HashMap<Channel, HashMap<u64, Arc<Outbox>>>,
    /// Sessions that sockets subscribed to since [`Hub::joined`] last returned.
    joined: HashSet<SessionId>,
    /// Detects pieces of answers that workers without a claim sent.
    epochs: Epochs,
}

/// A socket's place in the hub. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Seat {
    hub: Hub,
    number: u64,
    holder: Option<String>,
    pub(crate) outbox: Arc<Outbox>,
}

/// Reason why there is no free place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// All places are taken.
    ForAll,
    /// This holder has reached the limit per holder.
    ForOne,
}

impl Hub {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place, if fewer than `most` are taken in all and fewer than `most_of_one` by this holder.
    pub(crate) fn take_seat(
        &self,
        most: usize,
        holder: Option<String>,
        most_of_one: usize,
    ) -> Result<Seat, Full> {
        let mut inner = self.inner();
        if inner.sockets >= most {
            return Err(Full::ForAll);
        }
        if let Some(holder) = &holder {
            let taken = inner.of_one.entry(holder.clone()).or_default();
            if *taken >= most_of_one {
                return Err(Full::ForOne);
            }
            *taken += 1;
        }
        inner.sockets += 1;
        inner.next_socket += 1;
        let number = inner.next_socket;
        drop(inner);
        Ok(Seat {
            hub: self.clone(),
            number,
            holder,
            outbox: Arc::default(),
        })
    }

    /// Returns the number of taken places.
    pub(crate) fn seats(&self) -> usize {
        self.inner().sockets
    }

    /// Returns whether a channel has subscribers.
    pub(crate) fn has_subscribers(&self, channel: Channel) -> bool {
        self.inner().listeners.contains_key(&channel)
    }

    pub(super) fn begin(&self, position: i64) {
        self.inner().position = position;
        self.begun.send_replace(true);
    }

    /// Waits until the feed has begun to read. Before that, the position of the newest event is not known.
    pub(crate) async fn has_begun(&self) {
        // Fails only if the sender is dropped, but this hub holds it.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
    }

    /// Skips events if none of them has a subscriber. Otherwise returns false and does nothing.
    pub(super) fn skip_without_subscribers(&self, events: &[EventRecord]) -> bool {
        let mut inner = self.inner();
        let has_subscribers = |channel| inner.listeners.contains_key(&channel);
        if events
            .iter()
            .flat_map(render::channels)
            .any(has_subscribers)
        {
            return false;
        }
        let newest = events.iter().map(|event| event.id).max();
        inner.position = inner.position.max(newest.unwrap_or(0));
        true
    }

    /// Publishes an event to all subscribers. Renders it once for each channel.
    pub(super) fn publish(&self, event: &EventRecord) {
        let mut inner = self.inner();
        inner.position = inner.position.max(event.id);
        for channel in render::channels(event) {
            let Some(listeners) = inner.listeners.get(&channel) else {
                continue;
            };
            let messages = render::messages(event, channel);
            for outbox in listeners.values() {
                outbox.push_event(channel, event.id, &messages);
            }
        }
    }

    /// Publishes a message to all subscribers of a channel. It is not stored.
    pub(super) fn publish_unstored(&self, channel: Channel, message: &Utf8Bytes) {
        for outbox in self
            .inner()
            .listeners
            .get(&channel)
            .into_iter()
            .flat_map(HashMap::values)
        {
            outbox.push_passing(channel, message);
        }
    }
}

impl Hub {
    /// Publishes a piece of an answer to the subscribers of its session.
    pub(super) fn publish_piece(&self, piece: &AnswerPiece, message: impl FnOnce() -> Utf8Bytes) {
        let channel = Channel::Session(piece.session_id);
        let is_current = {
            let mut inner = self.inner();
            inner.listeners.contains_key(&channel) && inner.epochs.admit(piece)
        };
        if is_current {
            self.publish_unstored(channel, &message());
        }
    }

    /// Returns the sessions that have subscribers.
    pub(super) fn watched_sessions(&self) -> Vec<SessionId> {
        let inner = self.inner();
        let sessions = inner.listeners.keys().filter_map(|channel| match channel {
            Channel::Session(session) => Some(*session),
            _ => None,
        });
        sessions.collect()
    }

    /// Waits for new subscriptions to sessions, and returns these sessions.
    pub(super) async fn joined(&self) -> Vec<SessionId> {
        loop {
            let joined: Vec<SessionId> = self.inner().joined.drain().collect();
            if !joined.is_empty() {
                return joined;
            }
            self.has_joined.notified().await;
        }
    }
}

impl Seat {
    /// Subscribes to a channel from now on, or from event `seen` if that is later, because another
    /// process may be ahead of this one. Returns the id after which events arrive by themselves.
    /// The caller must read the events between the last one that the client has seen and that id.
    pub(crate) fn listen(&self, channel: Channel, seen: Option<i64>) -> i64 {
        let mut inner = self.hub.inner();
        let now = inner.position;
        let after = now.max(seen.unwrap_or(0));
        self.outbox.begin(channel, after);
        inner
            .listeners
            .entry(channel)
            .or_default()
            .insert(self.number, Arc::clone(&self.outbox));
        if let Channel::Session(session) = channel {
            inner.joined.insert(session);
            self.hub.has_joined.notify_one();
        }
        after
    }

    /// Unsubscribes from a channel. Returns whether the socket was subscribed.
    pub(crate) fn leave(&self, channel: Channel) -> bool {
        let mut inner = self.hub.inner();
        inner.forget(channel, self.number);
        self.outbox.end(channel)
    }
}

impl Inner {
    fn forget(&mut self, channel: Channel, number: u64) {
        if let Some(listeners) = self.listeners.get_mut(&channel) {
            listeners.remove(&number);
            if listeners.is_empty() {
                self.listeners.remove(&channel);
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut inner = self.hub.inner();
        inner.sockets -= 1;
        if let Some(holder) = &self.holder
            && let Some(taken) = inner.of_one.get_mut(holder)
        {
            *taken -= 1;
            if *taken == 0 {
                inner.of_one.remove(holder);
            }
        }
        for channel in self.outbox.channels() {
            inner.forget(channel, self.number);
        }
    }
}
