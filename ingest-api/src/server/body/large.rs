//! Limit of the large request bodies in memory.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::problem::Problem;

/// Maximum number of large bodies in memory. A parsed body may take ten times its size.
const AT_ONCE: usize = 4;
/// Longest wait for a permit. After that the response is 503, and senders repeat the request.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time in which an admitted body must arrive, so that a slow one does not block the others.
const ARRIVAL: Duration = Duration::from_secs(60);

/// Semaphore of large bodies.
#[derive(Debug)]
pub(crate) struct LargeBodies(Arc<Semaphore>);

/// Permit of one large body, held until dropped.
#[derive(Debug)]
pub(crate) struct LargeBody {
    due: Instant,
    _turn: OwnedSemaphorePermit,
}

impl Default for LargeBodies {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl LargeBodies {
    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// [`Problem::TooManyLargeBodies`] if no permit is free within a few seconds.
    pub(crate) async fn admit(&self) -> Result<LargeBody, Problem> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await;
        match turn {
            Ok(Ok(turn)) => Ok(LargeBody {
                due: Instant::now() + ARRIVAL,
                _turn: turn,
            }),
            _ => Err(Problem::TooManyLargeBodies),
        }
    }
}

impl LargeBody {
    /// Returns the time by which the whole body must have arrived.
    pub(crate) const fn due(&self) -> Instant {
        self.due
    }
}
