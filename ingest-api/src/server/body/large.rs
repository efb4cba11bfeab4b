//! How many large request bodies are in memory at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::problem::Problem;

/// Large bodies in memory at once. Parsed, one may take ten times its size.
const AT_ONCE: usize = 4;
/// Longest wait for a turn. Senders repeat what is answered with 503.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time in which an admitted body must arrive: a slow one must not keep the others waiting.
const ARRIVAL: Duration = Duration::from_secs(60);

/// Admits large bodies in turn.
#[derive(Debug)]
pub(crate) struct LargeBodies(Arc<Semaphore>);

/// The turn of one large body, until dropped.
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
    /// Waits for a turn.
    ///
    /// # Errors
    ///
    /// [`Problem::TooManyLargeBodies`] if none is free soon.
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
    /// When the whole body must have arrived.
    pub(crate) const fn due(&self) -> Instant {
        self.due
    }
}
