use std::sync::Arc;
use std::time::Duration;

/// Failure of a request.
#[derive(Debug, thiserror::Error)]
pub enum Error<E: std::error::Error + 'static> {
    /// The flush that carried the request failed. Every request of that batch gets the same cause. The cause decides
    /// whether anything took effect: the outcome of a commit whose reply was lost is unknown.
    #[error("the batch that carried this request failed")]
    Flush(#[source] Arc<E>),
    /// The flush was cancelled because it took too long. Whether it took effect is unknown.
    #[error("the batch that carried this request took too long")]
    Deadline(#[source] DeadlineExceeded),
    /// The flush ended without a response to this request: it panicked, the runtime is shutting down, or it returned
    /// fewer responses than it was given requests.
    #[error("the batch that carried this request ended without an answer")]
    Lost,
}

/// Error of a flush that exceeded its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no answer within {0:?}")]
pub struct DeadlineExceeded(pub Duration);

impl<E: std::error::Error + 'static> Clone for Error<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Flush(cause) => Self::Flush(Arc::clone(cause)),
            Self::Deadline(exceeded) => Self::Deadline(*exceeded),
            Self::Lost => Self::Lost,
        }
    }
}
