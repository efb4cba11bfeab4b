use std::sync::Arc;
use std::time::Duration;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Error<E: std::error::Error + 'static> {
    /// The flush that carried the request failed; every request of that batch gets the same
    /// cause. Whether anything took effect is for the cause to say (a commit whose reply was
    /// lost is unknown, not undone).
    #[error("the batch that carried this request failed")]
    Flush(#[source] Arc<E>),
    /// The flush was given up because it took too long. Whether it took effect is unknown.
    #[error("the batch that carried this request took too long")]
    Deadline(#[source] DeadlineExceeded),
    /// The flush ended without an answer for this request: it panicked, the runtime is
    /// shutting down, or it returned fewer answers than it was given requests.
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
