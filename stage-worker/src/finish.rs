//! Finishing stages: output, end of the job and the next chain job, in one transaction.

use std::collections::HashSet;

use sqlx::{PgConnection, PgPool};
use tarsy_coalesce::{Coalescer, Limits};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, ExecutionId, SessionId, chain_queue};
use tarsy_queue::{NewJob, Waker};
use tarsy_store::{EVENTS_WAKE, FinishStage};

use crate::Error;

/// Kind of the jobs that chain workers run; the subject is the session.
pub const CHAIN_JOB: &str = "chain";

/// The end of a stage, with what its chain needs to go on.
#[derive(Debug)]
pub(crate) struct Finish {
    /// The stage's end, under its claim.
    pub(crate) stage: FinishStage,
    /// Whose chain goes on.
    pub(crate) session_id: SessionId,
    /// Of the chain job.
    pub(crate) priority: i16,
    /// Of the alert's request.
    pub(crate) traceparent: Option<String>,
}

/// Commits ends of stages in groups; cheap to clone.
#[derive(Clone)]
pub(crate) struct Finisher(Coalescer<Finish, bool, Error>);

impl Finisher {
    /// A finisher that writes through `pool` and wakes chain workers by `waker`.
    #[must_use]
    pub(crate) fn new(pool: PgPool, waker: Waker) -> Self {
        let limits = Limits {
            max_batch: 128,
            max_flushes: 1,
            overlap_from: 1,
        };
        Self(Coalescer::new(limits, move |batch| {
            flush(pool.clone(), waker.clone(), batch)
        }))
    }

    /// Finish one stage; false when its claim was lost and nothing was written.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] when the database did not take it, or its reply was lost.
    pub(crate) async fn finish(
        &self,
        finish: Finish,
    ) -> Result<bool, tarsy_coalesce::Error<Error>> {
        self.0.submit(finish).await
    }
}

async fn flush(pool: PgPool, waker: Waker, batch: Vec<Finish>) -> Result<Vec<bool>, Error> {
    let mut tx = pool.begin().await?;
    let finished = apply(&mut tx, &batch).await?;
    reached("stage.finish.before_commit");
    tx.commit().await?;
    reached("stage.finish.after_commit");
    waker.wake(chain_queue());
    waker.wake(EVENTS_WAKE);
    Ok(batch
        .iter()
        .map(|f| finished.contains(&f.stage.execution_id))
        .collect())
}

async fn apply(conn: &mut PgConnection, batch: &[Finish]) -> Result<HashSet<ExecutionId>, Error> {
    let claims: Vec<ClaimRef> = batch.iter().map(|f| f.stage.claim).collect();
    let held = tarsy_queue::complete(conn, &claims).await?;
    let ends: Vec<FinishStage> = batch
        .iter()
        .map(|f| &f.stage)
        .filter(|s| held.contains(&s.claim))
        .cloned()
        .collect();
    let finished: HashSet<ExecutionId> = tarsy_store::finish_stages(conn, &ends)
        .await?
        .into_iter()
        .collect();

    let done: Vec<&Finish> = batch
        .iter()
        .filter(|f| finished.contains(&f.stage.execution_id))
        .collect();
    let jobs: Vec<NewJob> = done
        .iter()
        .map(|f| {
            NewJob::new(chain_queue(), CHAIN_JOB, f.session_id.as_uuid())
                .priority(f.priority)
                .traceparent(f.traceparent.clone())
        })
        .collect();
    tarsy_queue::enqueue(conn, &jobs).await?;
    Ok(finished)
}
