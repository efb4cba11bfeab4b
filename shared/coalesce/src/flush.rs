//! Runs one flush: within its deadline, and isolating refused requests.

use std::sync::Arc;
use std::time::Duration;

use crate::batch::Batch;
use crate::{DeadlineExceeded, Error};

/// Refused requests after which the rest of a batch is tried one by one: halves that are refused too cost more than
/// they save.
const MAX_REFUSED: usize = 4;

/// One answer for each request, in the same order.
pub(crate) type Answers<Resp, E> = Vec<Result<Resp, Error<E>>>;

/// Answers of a flush of this many requests; a short flush leaves the last ones without.
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

/// Runs a flush within its deadline; a later one is dropped.
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

/// Flushes `batch`. One that is refused is halved until the requests that spoil it are alone, so that the
/// others go through.
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
            // No single request is to blame: the rest would fail too.
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
