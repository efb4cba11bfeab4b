//! Where alerts are committed: many requests, one transaction.

mod flush;

use std::sync::Arc;

use sqlx::PgPool;
use tarsy_coalesce::{Coalescer, Limits};
use tarsy_queue::Waker;
use tarsy_store::{Accepted, NewSession};

use crate::problem::{FieldError, Problem};
use crate::watch::Watch;

use flush::{Error, flush};

/// Alerts that share one transaction, at most.
const MAX_BATCH: usize = 64;
/// Transactions under way at once: the next one is prepared while the disk syncs the first.
const MAX_FLUSHES: usize = 2;

/// Commits sessions together with their chain jobs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Intake {
    batches: Coalescer<NewSession, Result<Accepted, Error>, Error>,
    watch: Arc<Watch>,
}

impl Intake {
    /// An intake over `pool`. `waker` tells chain workers of new jobs.
    #[must_use]
    pub fn new(pool: PgPool, waker: Waker, watch: Arc<Watch>) -> Self {
        let limits = Limits {
            max_batch: MAX_BATCH,
            max_flushes: MAX_FLUSHES,
        };
        let batches = Coalescer::new(limits, move |batch| {
            flush(pool.clone(), waker.clone(), batch)
        });
        Self { batches, watch }
    }

    /// Commit one session and its chain job, together with whoever else is waiting.
    ///
    /// When it answers `Ok`, the session is durable. A lone request is committed at once.
    ///
    /// # Errors
    ///
    /// [`Problem::Overloaded`] beyond the backlog limit, [`Problem::DatabaseAway`] when the
    /// commit failed for now, and what the alert itself is refused for.
    pub async fn accept(&self, session: NewSession) -> Result<Accepted, Problem> {
        self.watch.admit()?;
        let asked = session.session_id;
        let accepted = match self.batches.submit(session).await {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(error)) => return Err(problem(&error)),
            Err(tarsy_coalesce::Error::Flush(error)) => return Err(problem(&error)),
            Err(error @ tarsy_coalesce::Error::Lost) => {
                return Err(Problem::Internal(error.into()));
            }
        };
        Ok(match accepted {
            // The commit's answer was lost and the batch repeated: the original is ourselves.
            Accepted::Duplicate {
                session_id,
                alert_id,
            } if session_id == asked => Accepted::Fresh {
                session_id,
                alert_id,
            },
            Accepted::KeyReused => return Err(Problem::IdempotencyKeyReused),
            other => other,
        })
    }
}

fn problem(error: &Error) -> Problem {
    if error.is_transient() {
        Problem::DatabaseAway
    } else if error.is_content() {
        Problem::InvalidAlert(vec![FieldError::new(
            "data",
            "holds a value that the database can't keep",
        )])
    } else {
        Problem::Internal(Box::new(std::io::Error::other(format!("{error:?}"))))
    }
}
