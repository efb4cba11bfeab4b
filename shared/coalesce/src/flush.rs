//! Runs one flush: enforces its deadline, and isolates refused requests.

use std::sync::Arc;
use std::time::Duration;

use crate::batch::Batch;
use crate::{DeadlineExceeded, Error};

/// Number of refused requests after which the rest of a batch is flushed one request at a time. With this many
/// refusals, halving costs more flushes than it saves.
const MAX_REFUSED: usize = 4;

/// One result for each request, in the same order.
pub(crate) type Answers<Resp, E> = Vec<Result<Resp, Error<E>>>;

/// Assigns the results of a flush to its requests. If the flush returned too few, the last requests get
/// [`Error::Lost`].
pub(crate) fn answers<Resp, E: std::error::Error + 'static>(
    requests: usize,
    flushed: Result<Vec<Resp>, Error<E>>,
) -> Answers<Resp, E> {
    match flushed {
        Ok(responses) => {
            let mut responses = responses.into_iter();
            std::iter::repeat_with(|| responses.next().ok_or(Error::Lost))
                .take(requests)
                .collect()
        }
        Err(error) => std::iter::repeat_n(error, requests).map(Err).collect(),
    }
}

/// Runs a flush, and drops it if it exceeds its deadline.
pub(crate) async fn within<Resp, E: std::error::Error + 'static>(
    deadline: Duration,
    flush: impl Future<Output = Result<Vec<Resp>, E>>,
) -> Result<Vec<Resp>, Error<E>> {
    match tokio::time::timeout(deadline, flush).await {
        Ok(flushed) => flushed.map_err(|cause| Error::Flush(Arc::new(cause))),
        Err(_) => {
            tracing::warn!(?deadline, "a coalesced flush was given up: its time was up");
            Err(Error::Deadline(DeadlineExceeded(deadline)))
        }
    }
}

/// Flushes `batch`. A refused batch is halved until the refused requests are alone, so that the others succeed.
pub(crate) async fn isolate<Req, Resp, E, Fut>(
    batch: Batch<Req>,
    deadline: Duration,
    is_refusal: fn(&E) -> bool,
    flush: &(impl Fn(Batch<Req>) -> Fut + Sync),
) -> Answers<Resp, E>
where
    Req: Send + Sync,
    Resp: Send,
    E: std::error::Error + Send + Sync + 'static,
    Fut: Future<Output = Result<Vec<Resp>, E>> + Send,
{
    let requests = batch.len();
    let (mut done, mut refused) = (Vec::with_capacity(requests), 0);
    let mut ahead = vec![batch];
    while let Some(part) = ahead.pop() {
        let flushed = within(deadline, flush(part.clone())).await;
        let Err(error) = flushed else {
            done.extend(answers(part.len(), flushed));
            continue;
        };
        let is_refused = matches!(&error, Error::Flush(cause) if is_refusal(cause));
        if !is_refused {
            // The error is not the fault of a single request, so the rest would fail too.
            done.extend(answers(requests - done.len(), Err(error)));
            return done;
        }
        if part.len() == 1 {
            refused += 1;
            done.push(Err(error));
        } else if refused >= MAX_REFUSED {
            ahead.extend(part.singles_from_last());
        } else {
            tracing::warn!(
                ?error,
                requests = part.len(),
                "a batch was refused; flushing its halves"
            );
            let [first, second] = part.halves();
            ahead.extend([second, first]);
        }
    }
    done
}
