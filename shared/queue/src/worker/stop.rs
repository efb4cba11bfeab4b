//! Stop signals for handlers, with their cause.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Reason why a handler is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// The claim is lost or can't be renewed. Results must not be recorded from now on.
    ClaimLost,
    /// The subject was cancelled ([`request_cancel`](crate::request_cancel)).
    Requested,
    /// The process is shutting down and the grace period is over. The job is released.
    Draining,
}

/// Signal that fires when a handler has to stop. It keeps the first cause. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
}

impl StopSignal {
    /// Creates a signal that has not fired.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Fires the signal.
    pub fn stop(&self, cause: StopCause) {
        let _ = self.cause.set(cause);
        self.token.cancel();
    }

    /// Waits until the signal fires.
    pub async fn stopped(&self) -> StopCause {
        self.token.cancelled().await;
        self.cause().unwrap_or(StopCause::ClaimLost)
    }

    /// Returns the cause, if the signal has fired.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }

    /// Returns the underlying token, for code that does not need the cause.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }
}
