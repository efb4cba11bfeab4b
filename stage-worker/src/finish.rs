//! Ends stages: output, end of the job and the next stage, in one statement.

mod statement;

use serde_json::Value;
use tarsy_coalesce::{Batch, Coalescer, GroupLimits};
use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, ExecutionId, SessionId, StageStatus, UnixMicros};
use tarsy_queue::{Connections, Waker, is_refusal};
use tarsy_transitions::PreclaimLease;

use self::statement::finish_stages;
use crate::Error;
use crate::next::NextStage;

pub use tarsy_model::CHAIN_JOB;
pub(crate) use tarsy_model::STAGE_JOB;

/// The end of a stage, under its claim, with the data that its chain needs to continue.
#[derive(Debug)]
pub(crate) struct Finish {
    /// The attempt that ends.
    pub(crate) execution_id: ExecutionId,
    pub(crate) session_id: SessionId,
    /// Claim under which the stage ran.
    pub(crate) claim: ClaimRef,
    /// `completed` or `failed`.
    pub(crate) status: StageStatus,
    /// Output, if the stage completed.
    pub(crate) output: Option<Value>,
    /// Error, if the stage failed.
    pub(crate) error: Option<String>,
    /// Error class, e.g. `rate_limited`, `deadline`, `crashed`.
    pub(crate) error_class: Option<String>,
    /// Hash of the configuration that it ran with, if it ran here.
    pub(crate) configuration_hash: Option<String>,
    /// Number of stages of its chain, for event readers.
    pub(crate) stage_count: i32,
    /// The next stage; `None`: a chain job decides.
    pub(crate) next: Option<NextStage>,
    /// The preclaim for that stage or chain job; `None`: other workers run it.
    pub(crate) preclaim: Option<PreclaimLease>,
    /// Priority of the next job.
    pub(crate) priority: i16,
    /// W3C trace context of the alert's request.
    pub(crate) traceparent: Option<String>,
}

/// Result of ending a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The claim was lost. Nothing was written.
    ClaimLost,
    /// Another worker continues the chain.
    HandedOff,
    /// The next stage has begun; this worker holds its job.
    NextStageBegun {
        attempt: i32,
        started_at_us: Option<UnixMicros>,
    },
    /// This worker holds the chain job that decides the next step.
    ChainJobHeld,
}

/// Commits ends of stages in groups. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Finisher(Coalescer<Finish, Ended, Error>);

impl Finisher {
    /// Creates a finisher that writes over `connections` and wakes workers with `waker`.
    #[must_use]
    pub(crate) fn new(connections: Connections, waker: Waker) -> Self {
        let limits = GroupLimits {
            max_batch: 128,
            max_flushes: 2,
            overlap_from: 16,
            ..GroupLimits::default()
        };
        Self(Coalescer::isolating(
            limits,
            |error| is_refusal(error),
            move |batch| flush(connections.clone(), waker.clone(), batch),
        ))
    }

    /// Ends one stage.
    ///
    /// # Errors
    ///
    /// [`tarsy_coalesce::Error`] if the database refused it or its reply was lost.
    pub(crate) async fn finish(
        &self,
        finish: Finish,
    ) -> Result<Ended, tarsy_coalesce::Error<Error>> {
        self.0.submit(finish).await
    }
}

async fn flush(
    connections: Connections,
    waker: Waker,
    batch: Batch<Finish>,
) -> Result<Vec<Ended>, Error> {
    let mut conn = connections.acquire().await?;
    reached("stage.finish.before_commit");
    let finished = finish_stages(&mut conn, &batch).await;
    connections.give_back(conn, &finished);
    let finished = finished?;
    reached("stage.finish.after_commit");
    for queue in &finished.queues {
        waker.wake(queue);
    }
    waker.wake_watchers();
    Ok(batch
        .iter()
        .map(|f| {
            let ended = finished.stages.get(&f.execution_id);
            ended.copied().unwrap_or(Ended::ClaimLost)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tarsy_testing::TestDb;

    use super::*;
    use crate::begin::tests::spoil;
    use crate::records::tests::held;

    #[tokio::test]
    async fn a_stage_that_is_refused_lets_others_of_its_group_end() {
        let db = TestDb::new().await;
        let fences = held(&db, 30).await;
        spoil(db.pool(), &fences).await;
        let connections = Connections::shared(db.pool().clone());
        let finisher = Finisher::new(connections.clone(), Waker::new(connections));
        let tasks: Vec<_> = fences
            .into_iter()
            .map(|fence| {
                let finisher = finisher.clone();
                let finish = Finish {
                    execution_id: fence.execution_id,
                    session_id: fence.session_id,
                    claim: fence.claim,
                    status: StageStatus::Completed,
                    output: Some(Value::from("Nothing is wrong.")),
                    error: None,
                    error_class: None,
                    configuration_hash: None,
                    stage_count: 30,
                    next: None,
                    preclaim: None,
                    priority: 1,
                    traceparent: None,
                };
                tokio::spawn(async move { finisher.finish(finish).await })
            })
            .collect();
        for (place, task) in tasks.into_iter().enumerate() {
            let ended = tokio::time::timeout(Duration::from_secs(60), task).await;
            let ended = ended.expect("in time").expect("no panic");
            match place % 3 {
                0 => assert!(ended.is_err(), "{place} was refused"),
                _ => assert_eq!(ended.expect("it was not"), Ended::HandedOff, "{place} ends"),
            }
        }
    }
}
