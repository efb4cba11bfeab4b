//! Buffer of messages for one socket.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::Notify;

use crate::live::channel::Channel;

/// Maximum number of messages in the buffer.
const MOST_MESSAGES: usize = 256;
/// Maximum number of bytes in the buffer.
const MOST_BYTES: usize = 1024 * 1024;
/// Maximum number of messages that are sent before the socket is read again.
const BATCH: usize = 64;

/// Buffer between the hub and a socket that may read slowly.
///
/// When it is full, it leaves events out and notes their ids until all buffered messages are sent.
/// Then the client gets the ids of the missed events, and new events are buffered again.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Utf8Bytes>,
    bytes: usize,
    lagging: bool,
    missed: BTreeMap<Channel, (i64, i64)>,
    /// For each channel, the id after which the hub delivers every event.
    live_after: BTreeMap<Channel, i64>,
}

/// Messages to send next, in this order.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    pub(crate) messages: Vec<Utf8Bytes>,
    /// First and last id of the left-out events of each channel. They are sent after the messages.
    pub(crate) missed: Vec<(Channel, (i64, i64))>,
}

impl Outbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to a channel's events after `after`.
    pub(super) fn begin(&self, channel: Channel, after: i64) {
        self.state().live_after.insert(channel, after);
    }

    /// Unsubscribes from a channel. Returns whether it was subscribed.
    pub(super) fn end(&self, channel: Channel) -> bool {
        let mut state = self.state();
        state.missed.remove(&channel);
        state.live_after.remove(&channel).is_some()
    }

    /// Returns the subscribed channels.
    pub(crate) fn channels(&self) -> Vec<Channel> {
        self.state().live_after.keys().copied().collect()
    }

    /// Returns the id after which the hub delivers every event of the channel; older ones must be
    /// requested. `None` if the channel is not subscribed.
    pub(crate) fn live_after(&self, channel: Channel) -> Option<i64> {
        self.state().live_after.get(&channel).copied()
    }

    /// Adds an event's messages, or notes that it was left out. Never blocks.
    pub(super) fn push_event(&self, channel: Channel, id: i64, messages: &[Utf8Bytes]) {
        let mut state = self.state();
        if state
            .live_after
            .get(&channel)
            .is_none_or(|after| id <= *after)
        {
            return;
        }
        let is_missed = state.lagging || state.is_full();
        tarsy_metrics::live::event(!is_missed);
        if is_missed {
            state.lagging = true;
            let missed = state.missed.entry(channel).or_insert((id, id));
            missed.1 = id;
        } else {
            for message in messages {
                state.push(message.clone());
            }
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Adds a message that the next of its kind supersedes. Drops it if the buffer is full.
    pub(super) fn push_passing(&self, channel: Channel, message: &Utf8Bytes) {
        let mut state = self.state();
        if state.lagging || state.is_full() || !state.live_after.contains_key(&channel) {
            return;
        }
        state.push(message.clone());
        drop(state);
        self.filled.notify_one();
    }

    /// Waits until there is something to send, and takes it.
    pub(crate) async fn next(&self) -> Sending {
        loop {
            let sending = self.take();
            if !sending.messages.is_empty() || !sending.missed.is_empty() {
                return sending;
            }
            self.filled.notified().await;
        }
    }

    fn take(&self) -> Sending {
        let mut state = self.state();
        let count = state.waiting.len().min(BATCH);
        let messages: Vec<Utf8Bytes> = state.waiting.drain(..count).collect();
        state.bytes -= messages.iter().map(|message| message.len()).sum::<usize>();
        let mut missed = Vec::new();
        if state.lagging && state.waiting.is_empty() {
            state.lagging = false;
            missed = std::mem::take(&mut state.missed).into_iter().collect();
            for (channel, (_, last)) in &missed {
                if let Some(after) = state.live_after.get_mut(channel) {
                    *after = *last;
                }
            }
        }
        Sending { messages, missed }
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.waiting.len() >= MOST_MESSAGES || self.bytes >= MOST_BYTES
    }

    fn push(&mut self, message: Utf8Bytes) {
        self.bytes += message.len();
        self.waiting.push_back(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(outbox: &Outbox, ids: std::ops::RangeInclusive<i64>) {
        for id in ids {
            outbox.push_event(Channel::Dashboard, id, &[format!("{id}").into()]);
        }
    }

    async fn drain(outbox: &Outbox, count: usize) -> (usize, Vec<(Channel, (i64, i64))>) {
        let (mut messages, mut missed) = (0, Vec::new());
        while messages < count {
            let sending = outbox.next().await;
            messages += sending.messages.len();
            missed.extend(sending.missed);
        }
        (messages, missed)
    }

    #[tokio::test]
    async fn missed_messages_are_reported_after_those_that_had_room() {
        let outbox = Outbox::default();
        outbox.begin(Channel::Dashboard, 10);
        push(&outbox, 1..=1000);
        assert_eq!(
            drain(&outbox, MOST_MESSAGES).await,
            (MOST_MESSAGES, vec![(Channel::Dashboard, (267, 1000))])
        );
        assert_eq!(
            outbox.live_after(Channel::Dashboard),
            Some(1000),
            "the rest has to be asked for"
        );
        push(&outbox, 1001..=1003);
        assert_eq!(drain(&outbox, 3).await, (3, vec![]));
    }

    #[tokio::test]
    async fn room_is_given_again_only_when_the_gap_was_sent() {
        let outbox = Outbox::default();
        outbox.begin(Channel::Dashboard, 0);
        push(&outbox, 1..=300);
        assert_eq!(outbox.next().await.missed, []);
        push(&outbox, 301..=301);
        let rest = MOST_MESSAGES - BATCH;
        assert_eq!(
            drain(&outbox, rest).await,
            (rest, vec![(Channel::Dashboard, (257, 301))])
        );
    }
}
