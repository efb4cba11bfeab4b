//! Who listens to what, in this process.

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

/// Hands events to the sockets that listen to their channels. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hub {
    inner: Arc<Mutex<Inner>>,
    begun: Arc<watch::Sender<bool>>,
    has_joined: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The last event that was handed over.
    position: i64,
    next_socket: u64,
    sockets: usize,
    /// How many of them are of one holder.
    of_one: HashMap<String, usize>,
    listeners: HashMap<Channel, HashMap<u64, Arc<Outbox>>>,
    /// Sessions that sockets have begun to watch since they were asked for last.
    joined: HashSet<SessionId>,
    /// Shows which pieces of answers are void.
    epochs: Epochs,
}

/// A socket's place in the hub; gives it up when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    hub: Hub,
    number: u64,
    holder: Option<String>,
    pub(crate) outbox: Arc<Outbox>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// All are taken.
    ForAll,
    /// This holder has as many as one may.
    ForOne,
}

impl Hub {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Take a seat, if fewer than `most` are taken, and fewer than `most_of_one` by this holder.
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

    /// How many places are taken.
    pub(crate) fn seats(&self) -> usize {
        self.inner().sockets
    }

    /// Whether a channel has subscribers.
    pub(crate) fn has_subscribers(&self, channel: Channel) -> bool {
        self.inner().listeners.contains_key(&channel)
    }

    pub(super) fn begin(&self, position: i64) {
        self.inner().position = position;
        self.begun.send_replace(true);
    }

    /// Wait until reading has begun: before that nobody knows where "now" is.
    pub(crate) async fn has_begun(&self) {
        // Fails only when the sender is gone, and this hub holds it.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
    }

    /// Skip events without subscribers. `false`, and nothing is done, if there is a subscriber.
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

    /// Publish an event to all subscribers; rendered once for each channel.
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

    /// Publish a message to all subscribers of a channel. It is not stored.
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
    /// Publish a piece of an answer to the subscribers of its session.
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

    /// The sessions that are watched.
    pub(super) fn watched_sessions(&self) -> Vec<SessionId> {
        let inner = self.inner();
        let sessions = inner.listeners.keys().filter_map(|channel| match channel {
            Channel::Session(session) => Some(*session),
            _ => None,
        });
        sessions.collect()
    }

    /// Wait until somebody begins to watch sessions, and take those.
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
    /// Listen to a channel from now on, or from `seen` on where that is later: another
    /// process may be ahead of this one. Answers the id after which events come by
    /// themselves; what lies between that and what the client has seen has to be read.
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

    /// Stop listening; whether it did.
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
