//! Starts stages: one statement for all starts that arrive together.

use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::{ExecutionId, chain_queue};
use tarsy_queue::{Connections, Waker, is_refusal};

use super::start_stages::{Start, start_stages};

/// Outcome of a [`Start`].
#[derive(Debug, PartialEq, Eq)]
pub enum Started {
    /// The claim was lost; nothing was written.
    ClaimLost,
    /// The chain job has ended.
    Held {
        /// The attempts whose jobs were written as held.
        preclaimed: Vec<ExecutionId>,
    },
}

/// Commits starts in groups; cheap to clone.
///
/// After an error nothing was changed, or the commit's reply was lost. The job is still there
/// in the first case and its work is done in the second.
#[derive(Clone)]
pub struct Starter(Coalescer<Start, Started, sqlx::Error>);

impl Starter {
    /// A starter that writes over `connections` and wakes workers by `waker`.
    ///
    /// With `announces`, asked before each group, a session that begins gets the job that notifies of it.
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

    /// Make stages due.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] when the database did not take it, or its reply was lost.
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
