use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::batch::Batch;
use crate::flush::{Answers, answers, isolate, within};
use crate::{Error, GroupLimits};

/// Time after which a flush is overdue and no longer counts towards the limit, so that others may start.
const OVERDUE: Duration = Duration::from_millis(500);
/// Maximum number of overdue flushes that don't count.
const MAX_OVERDUE: usize = 4;

/// Requests of one flush and, in the same order, the channels for their responses.
type TakenBatch<Req, Resp, E> = (Vec<Req>, Vec<Answer<Resp, E>>);
type Answer<Resp, E> = oneshot::Sender<Result<Resp, Error<E>>>;
type Flush<Req, Resp, E> = dyn Fn(Vec<Req>) -> BoxFuture<'static, Answers<Resp, E>> + Send + Sync;

/// Groups concurrent requests into shared flushes; see the [crate docs](crate).
///
/// Cheap to clone; clones share one queue. It must be used inside a tokio runtime. Flushes run in separate tasks, so a
/// requester that goes away neither cancels the flush nor affects the other requests of its batch.
pub struct Coalescer<Req, Resp, E: std::error::Error + 'static> {
    shared: Arc<Shared<Req, Resp, E>>,
}

struct Shared<Req, Resp, E: std::error::Error + 'static> {
    limits: GroupLimits,
    flush: Box<Flush<Req, Resp, E>>,
    state: Mutex<State<Req, Resp, E>>,
}

struct State<Req, Resp, E: std::error::Error + 'static> {
    waiting: VecDeque<(Req, Answer<Resp, E>)>,
    flushes: usize,
    /// Number of running flushes that are overdue and no longer count.
    overdue: usize,
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
    /// Creates a coalescer around `flush`, which responds to a batch with one `Resp` per request, in the same order. An
    /// `Err` is returned to every request of the batch. If single requests may fail without the others, make `Resp` a
    /// `Result`.
    pub fn new<F, Fut>(limits: GroupLimits, flush: F) -> Self
    where
        F: Fn(Vec<Req>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Resp>, E>> + Send + 'static,
    {
        let flush = Arc::new(flush);
        Self::over(limits, move |requests| {
            let flush = Arc::clone(&flush);
            async move {
                let count = requests.len();
                // Called inside the future, so that a panic before its first await is caught too.
                let flushed = async { flush(requests).await };
                answers(count, within(limits.deadline, flushed).await)
            }
            .boxed()
        })
    }

    /// Creates a coalescer whose requests fail alone. If `is_refusal` returns true for the error of a batch, one of its
    /// requests is to blame. The batch is then halved and flushed again, until the refused requests are alone.
    ///
    /// `flush` is as for [`new`](Self::new). Its effects before a failure must be undone, or must be harmless when
    /// repeated.
    pub fn isolating<F, Fut>(limits: GroupLimits, is_refusal: fn(&E) -> bool, flush: F) -> Self
    where
        Req: Sync,
        F: Fn(Batch<Req>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Resp>, E>> + Send + 'static,
    {
        let flush = Arc::new(flush);
        Self::over(limits, move |requests| {
            let flush = Arc::clone(&flush);
            async move { isolate(Batch::new(requests), limits.deadline, is_refusal, &*flush).await }
                .boxed()
        })
    }

    fn over(
        limits: GroupLimits,
        flush: impl Fn(Vec<Req>) -> BoxFuture<'static, Answers<Resp, E>> + Send + Sync + 'static,
    ) -> Self {
        let limits = GroupLimits {
            max_batch: limits.max_batch.max(1),
            max_flushes: limits.max_flushes.max(1),
            overlap_from: limits.overlap_from.max(1),
            ..limits
        };
        Self {
            shared: Arc::new(Shared {
                limits,
                flush: Box::new(flush),
                state: Mutex::new(State {
                    waiting: VecDeque::new(),
                    flushes: 0,
                    overdue: 0,
                }),
            }),
        }
    }

    /// Submits one request and waits for its response.
    ///
    /// Dropping the returned future does not withdraw the request: it may still be flushed.
    ///
    /// # Errors
    ///
    /// [`Error::Flush`] if the batch failed, [`Error::Deadline`] if it took too long, [`Error::Lost`] if it ended
    /// without a response to this request.
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

/// One running flush loop. It frees its slot when no request is waiting any more.
struct Flusher<Req, Resp, E: std::error::Error + 'static>(Arc<Shared<Req, Resp, E>>);

impl<Req, Resp, E> Flusher<Req, Resp, E>
where
    Req: Send + 'static,
    Resp: Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    async fn run(self) {
        // Let requests that are ready to run join this batch. An idle system loses no time by this.
        tokio::task::yield_now().await;
        while let Some((requests, replies)) = self.take() {
            // Called inside the async block, so that a panic before the first await is caught too.
            let flush = async { (self.0.flush)(requests).await };
            let mut flush = pin!(std::panic::AssertUnwindSafe(flush).catch_unwind());
            let (flushed, is_aside) = match tokio::time::timeout(OVERDUE, flush.as_mut()).await {
                Ok(flushed) => (flushed, false),
                Err(_) => {
                    let is_aside = self.step_aside();
                    (flush.await, is_aside)
                }
            };
            let flushed = flushed.unwrap_or_else(|_| {
                tracing::error!("a coalesced flush panicked; its requests stay unanswered");
                Vec::new()
            });
            reply(replies, flushed);
            if is_aside {
                self.0.state().overdue -= 1;
                return;
            }
        }
    }

    /// Frees this loop's slot, because its flush takes too long. Returns `false` if too many others already did so.
    fn step_aside(&self) -> bool {
        let mut state = self.0.state();
        if state.overdue >= MAX_OVERDUE {
            return false;
        }
        state.overdue += 1;
        if state.waiting.is_empty() {
            state.flushes -= 1;
        } else {
            tokio::spawn(Flusher(Arc::clone(&self.0)).run());
        }
        true
    }

    /// Takes the next batch. Returns `None`, and frees this loop's slot, if no requests wait, or too few wait while
    /// other flushes run. In that case the last of those flushes takes them.
    fn take(&self) -> Option<TakenBatch<Req, Resp, E>> {
        let mut state = self.0.state();
        let is_alone = state.flushes == 1;
        let least = if is_alone {
            1
        } else {
            self.0.limits.overlap_from
        };
        if state.waiting.len() < least {
            // This happens under the same lock as in `submit`, so that no request is left behind.
            state.flushes -= 1;
            return None;
        }
        let size = state.waiting.len().min(self.0.limits.max_batch);
        Some(state.waiting.drain(..size).unzip())
    }
}

/// Responds to each request. A request without a result gets [`Error::Lost`].
fn reply<Resp, E: std::error::Error + 'static>(
    replies: Vec<Answer<Resp, E>>,
    flushed: Answers<Resp, E>,
) {
    let mut flushed = flushed.into_iter();
    for reply in replies {
        // The requester may be gone: a failed send is ignored.
        let _ = reply.send(flushed.next().unwrap_or(Err(Error::Lost)));
    }
}
