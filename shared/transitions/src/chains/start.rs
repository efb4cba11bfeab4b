//! Starts stages, with one statement for all starts that arrive together.

use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::{ExecutionId, chain_queue};
use tarsy_queue::{Connections, Waker, is_refusal};

use super::start_stages::{Start, start_stages};

/// Outcome of a [`Start`].
#[derive(Debug, PartialEq, Eq)]
pub enum Started {
    /// The claim was lost. Nothing was written.
    ClaimLost,
    /// The claim was held, and the chain job has ended.
    Held {
        /// Attempts whose jobs were inserted as held by the worker that asked for them.
        preclaimed: Vec<ExecutionId>,
    },
}

/// Commits starts in groups. Cheap to clone.
///
/// After an error, either nothing was changed and the job still exists, or the commit succeeded and only its reply was
/// lost.
#[derive(Clone)]
pub struct Starter(Coalescer<Start, Started, sqlx::Error>);

impl Starter {
    /// Creates a starter that writes over `connections` and wakes workers with `waker`.
    ///
    /// `announces` is called before each group. If it returns true, each session that begins gets a job that sends the
    /// start notification.
    #[must_use]
    pub fn new(
        connections: Connections,
        waker: Waker,
        announces: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        let limits = GroupLimits {
            max_batch: 128,
            max_flushes: 1,
            overlap_from: 1,
            ..GroupLimits::default()
        };
        Self(Coalescer::isolating(
            limits,
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), waker.clone(), announces(), batch),
        ))
    }

    /// Makes stages due.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] if the database refused the start or its reply was lost.
    pub async fn start(&self, start: Start) -> Result<Started, tarsy_coalesce::Error<sqlx::Error>> {
        self.0.submit(start).await
    }
}

async fn flush(
    connections: Connections,
    waker: Waker,
    announces: bool,
    batch: Batch<Start>,
) -> Result<Vec<Started>, sqlx::Error> {
    let mut conn = connections.acquire().await?;
    reached("chain.start.before_commit");
    let started = start_stages(&mut conn, &batch, announces).await;
    connections.give_back(conn, &started);
    let started = started?;
    reached("chain.start.after_commit");
    for queue in &started.queues {
        waker.wake(queue);
    }
    if announces {
        waker.wake(chain_queue());
    }
    waker.wake_watchers();
    let outcome = |start: &Start| match started.held.contains(&start.claim.job_id) {
        false => Started::ClaimLost,
        true => {
            let ids = start.attempts.iter().map(|one| one.row.execution_id);
            Started::Held {
                preclaimed: ids.filter(|id| started.preclaimed.contains(id)).collect(),
            }
        }
    };
    Ok(batch.iter().map(outcome).collect())
}
