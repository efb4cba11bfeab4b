//! Stop signals of handlers, with their cause.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why a handler is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// The claim is lost or can't be renewed: nothing done from here on may be recorded.
    ClaimLost,
    /// Somebody cancelled the subject ([`request_cancel`](crate::request_cancel)).
    Requested,
    /// The process is going down and the grace period is over; the job is given back.
    Draining,
}

/// Fires when a handler has to stop; the first cause stays. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
}

impl StopSignal {
    /// A signal that has not fired.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ask to stop.
    pub fn stop(&self, cause: StopCause) {
        let _ = self.cause.set(cause);
        self.token.cancel();
    }

    /// Wait until asked to stop.
    pub async fn stopped(&self) -> StopCause {
        self.token.cancelled().await;
        self.cause().unwrap_or(StopCause::ClaimLost)
    }

    /// Why to stop, if it has fired.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }

    /// The bare token, for code that only needs to end.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }
}
