use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::Error;

/// How a [`Coalescer`] groups requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most requests one flush may carry; default 64. Larger batches save little more (a
    /// commit is already shared by 64) and make the first of them wait for the last.
    pub max_batch: usize,
    /// Flushes that may run at the same time; default 1. With 2 the next batch prepares its
    /// statements while the first waits for the disk, at the price of smaller batches.
    pub max_flushes: usize,
    /// Requests that must wait before a flush starts beside another; default 1. More keeps
    /// batches large under load, where each flush has a price of its own, and costs a lone
    /// request nothing.
    pub overlap_from: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_batch: 64,
            max_flushes: 1,
            overlap_from: 1,
        }
    }
}

/// The requests of one flush and, in the same order, where their answers go.
type Batch<Req, Resp, E> = (Vec<Req>, Vec<Answer<Resp, E>>);
type Answer<Resp, E> = oneshot::Sender<Result<Resp, Error<E>>>;
type Flush<Req, Resp, E> =
    dyn Fn(Vec<Req>) -> BoxFuture<'static, Result<Vec<Resp>, E>> + Send + Sync;

/// Groups concurrent requests into shared flushes; see the [crate docs](crate).
///
/// Cheap to clone; clones share one queue. Must be used inside a tokio runtime: flushes run
/// in tasks of their own, so a requester that goes away neither cancels the flush nor
/// disturbs the others in its batch.
pub struct Coalescer<Req, Resp, E: std::error::Error + 'static> {
    shared: Arc<Shared<Req, Resp, E>>,
}

struct Shared<Req, Resp, E: std::error::Error + 'static> {
    limits: Limits,
    flush: Box<Flush<Req, Resp, E>>,
    state: Mutex<State<Req, Resp, E>>,
}

struct State<Req, Resp, E: std::error::Error + 'static> {
    waiting: VecDeque<(Req, Answer<Resp, E>)>,
    flushes: usize,
}

impl<Req, Resp, E: std::error::Error + 'static> Clone for Coalescer<Req, Resp, E> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<Req, Resp, E: std::error::Error + 'static> std::fmt::Debug for Coalescer<Req, Resp, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coalescer")
            .field("limits", &self.shared.limits)
            .finish_non_exhaustive()
    }
}

impl<Req, Resp, E> Coalescer<Req, Resp, E>
where
    Req: Send + 'static,
    Resp: Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    /// Build a coalescer around `flush`, which answers a batch with one `Resp` per request,
    /// in the same order. An `Err` reaches every request of the batch; give `Resp` a
    /// `Result` of its own when single requests may fail without the others.
    pub fn new<F, Fut>(limits: Limits, flush: F) -> Self
    where
        F: Fn(Vec<Req>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Resp>, E>> + Send + 'static,
    {
        let limits = Limits {
            max_batch: limits.max_batch.max(1),
            max_flushes: limits.max_flushes.max(1),
            overlap_from: limits.overlap_from.max(1),
        };
        Self {
            shared: Arc::new(Shared {
                limits,
                flush: Box::new(move |batch| flush(batch).boxed()),
                state: Mutex::new(State {
                    waiting: VecDeque::new(),
                    flushes: 0,
                }),
            }),
        }
    }

    /// Hand in one request and wait for its answer.
    ///
    /// Dropping the returned future does not take the request back: it may still be flushed.
    ///
    /// # Errors
    ///
    /// [`Error::Flush`] when the batch failed, [`Error::Lost`] when it ended unanswered.
    pub async fn submit(&self, request: Req) -> Result<Resp, Error<E>> {
        let (answer, answered) = oneshot::channel();
        let start = {
            let mut state = self.shared.state();
            state.waiting.push_back((request, answer));
            let start = self.shared.may_start(&state);
            if start {
                state.flushes += 1;
            }
            start
        };
        if start {
            tokio::spawn(Flusher(Arc::clone(&self.shared)).run());
        }
        answered.await.unwrap_or(Err(Error::Lost))
    }
}

impl<Req, Resp, E: std::error::Error + 'static> Shared<Req, Resp, E> {
    fn state(&self) -> MutexGuard<'_, State<Req, Resp, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_start(&self, state: &State<Req, Resp, E>) -> bool {
        state.flushes == 0
            || (state.flushes < self.limits.max_flushes
                && state.waiting.len() >= self.limits.overlap_from)
    }
}

/// One running flush loop; gives its place back when nothing waits any more.
struct Flusher<Req, Resp, E: std::error::Error + 'static>(Arc<Shared<Req, Resp, E>>);

impl<Req, Resp, E> Flusher<Req, Resp, E>
where
    Req: Send + 'static,
    Resp: Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    async fn run(self) {
        // Requests that are already runnable join this batch; an idle system loses nothing.
        tokio::task::yield_now().await;
        while let Some((requests, answers)) = self.take() {
            // Called inside the block, so that a panic before the first await is caught too.
            let flush = async { (self.0.flush)(requests).await };
            let result = match std::panic::AssertUnwindSafe(flush).catch_unwind().await {
                Ok(result) => result.map_err(|cause| Error::Flush(Arc::new(cause))),
                Err(_) => {
                    tracing::error!("a coalesced flush panicked; its requests stay unanswered");
                    Err(Error::Lost)
                }
            };
            reply(answers, result);
        }
    }

    /// Next batch, or `None` (and this loop's place given back) when nothing waits, or too little
    /// while others flush: the last of them takes it.
    fn take(&self) -> Option<Batch<Req, Resp, E>> {
        let mut state = self.0.state();
        let is_alone = state.flushes == 1;
        let least = if is_alone {
            1
        } else {
            self.0.limits.overlap_from
        };
        if state.waiting.len() < least {
            // Under the same lock as `submit`, so no request is left between the two.
            state.flushes -= 1;
            return None;
        }
        let size = state.waiting.len().min(self.0.limits.max_batch);
        Some(state.waiting.drain(..size).unzip())
    }
}

fn reply<Resp, E: std::error::Error + 'static>(
    answers: Vec<Answer<Resp, E>>,
    result: Result<Vec<Resp>, Error<E>>,
) {
    // A requester that went away is nobody's concern, hence the ignored sends.
    match result {
        Ok(responses) => {
            let mut responses = responses.into_iter();
            for answer in answers {
                let _ = answer.send(responses.next().ok_or(Error::Lost));
            }
        }
        Err(error) => {
            for answer in answers {
                let _ = answer.send(Err(error.clone()));
            }
        }
    }
}
