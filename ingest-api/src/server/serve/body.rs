//! Bodies of requests, which must arrive at a minimum rate, and of responses, which mark their
//! connection as busy.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

use crate::server::serve::places::Busy;

/// Number of received bytes that extend a body's deadline by one second.
const BYTES_A_SECOND: u64 = 1_024;

/// Error of a body that arrived below the minimum rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body came too slowly")]
pub(crate) struct TooSlow;

/// Body of a request that fails when it arrives too slowly. A body that is already there needs no timer.
pub(super) struct Paced {
    body: Incoming,
    patience: Duration,
    begun: Option<Instant>,
    bytes: u64,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(super) const fn new(body: Incoming, patience: Duration) -> Self {
        Self {
            body,
            patience,
            begun: None,
            bytes: 0,
            timer: None,
        }
    }

    /// Polls the timer. Ready when the deadline that the received bytes allow has passed.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let due = due(begun, self.patience, self.bytes);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        if timer.deadline() != due {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(context).map(|()| TooSlow)
    }
}

/// Returns the deadline of the next bytes.
fn due(begun: Instant, patience: Duration, bytes: u64) -> Instant {
    begun + patience + Duration::from_millis(bytes.saturating_mul(1_000) / BYTES_A_SECOND)
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            let too_slow = ready!(self.wait(context));
            return Poll::Ready(Some(Err(too_slow.into())));
        };
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            self.bytes += data.len() as u64;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Body of a response. Its connection counts as busy until the body is dropped.
pub(super) struct Answered {
    body: Body,
    _busy: Busy,
}

impl Answered {
    pub(super) const fn new(body: Body, busy: Busy) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the second at which a body that arrives at this rate fails, or `None` if it does not fail.
    fn fails_after(bytes_a_second: u64) -> Option<u64> {
        let (begun, patience) = (Instant::now(), Duration::from_secs(20));
        (0..3_600).find(|second| {
            begun + Duration::from_secs(*second) > due(begun, patience, second * bytes_a_second)
        })
    }

    #[test]
    fn a_slow_sender_passes_and_one_that_only_holds_on_does_not() {
        assert_eq!(fails_after(0), Some(21));
        assert_eq!(fails_after(512), Some(41));
        assert_eq!(fails_after(BYTES_A_SECOND), None);
        assert_eq!(fails_after(1_000_000), None);
    }
}
