//! State of the fake provider.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::prefix_cache::PrefixCache;
use super::{Behaviour, Rule, SeenRequest};

pub(super) type Responder = dyn Fn(&SeenRequest) -> Behaviour + Send + Sync;

/// State that the server and the test share.
#[derive(Clone)]
pub(super) struct State {
    inner: Arc<Mutex<Inner>>,
    released: watch::Sender<bool>,
    responder: Arc<Responder>,
}

#[derive(Default)]
struct Inner {
    requests: Vec<SeenRequest>,
    queue: VecDeque<Behaviour>,
    rules: Vec<Rule>,
    cache: Option<PrefixCache>,
}

impl State {
    pub(super) fn new(responder: Arc<Responder>) -> Self {
        Self {
            inner: Arc::default(),
            released: watch::Sender::new(false),
            responder,
        }
    }

    /// Records a request and chooses the behaviour.
    pub(super) fn receive(&self, mut request: SeenRequest) -> (usize, Behaviour) {
        let mut inner = self.lock();
        let sequence = inner.requests.len();
        request.sequence = sequence;
        inner.requests.push(request.clone());
        let queued = inner.queue.pop_front();
        let ruled = || {
            inner
                .rules
                .iter()
                .find(|rule| rule.fits(&request))
                .map(|rule| rule.behaviour.clone())
        };
        let known = queued.or_else(ruled);
        drop(inner);
        let behaviour = known.unwrap_or_else(|| (self.responder)(&request));
        let behaviour = match (behaviour, &mut self.lock().cache) {
            (Behaviour::Answer(answer), Some(cache)) => {
                Behaviour::Answer(cache.price(&request, answer))
            }
            (behaviour, _) => behaviour,
        };
        (sequence, behaviour)
    }

    pub(super) fn mark_answered(&self, sequence: usize) {
        if let Some(request) = self.lock().requests.get_mut(sequence) {
            request.answered = true;
        }
    }

    pub(super) fn release(&self) {
        self.released.send_replace(true);
    }

    /// Waits until answers are no longer held.
    pub(super) async fn released(&self) {
        let mut released = self.released.subscribe();
        // Never fails, because `self` owns the sender.
        let _ = released.wait_for(|released| *released).await;
    }

    pub(super) fn requests(&self) -> Vec<SeenRequest> {
        self.lock().requests.clone()
    }

    pub(super) fn count(&self) -> usize {
        self.lock().requests.len()
    }

    pub(super) fn forget(&self) {
        self.lock().requests.clear();
    }

    pub(super) fn queue(&self, behaviours: impl IntoIterator<Item = Behaviour>) {
        self.lock().queue.extend(behaviours);
    }

    pub(super) fn price_by_prefix(&self) {
        self.lock().cache = Some(PrefixCache::default());
    }

    pub(super) fn set_rules(&self, rules: Vec<Rule>) {
        self.lock().rules = rules;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
