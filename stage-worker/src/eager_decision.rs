//! Eager decision: the worker that ends a stage also runs the chain job that becomes due, and starts the stages that
//! it decides on (docs/decisions/0060-a-stage-worker-starts-branches.md).

use tarsy_chain::{Decision, DueStage, SessionState, decide, may_start};
use tarsy_config::StagePlans;
use tarsy_failpoint::reached;
use tarsy_model::{Pool, SessionId, chain_queue, priority_of, stage_requires};
use tarsy_queue::{Connections, Job, Outcome, Preclaim, PreclaimedJob, Waker};
use tarsy_store::stages::BegunStage;
use tarsy_transitions::{Loader, NewAttempt, PreclaimLease, Start, Started, Starter, plan_stage};

use crate::finish::{CHAIN_JOB, Finish, STAGE_JOB};
use crate::runner::BoxError;

/// The preclaimed chain job of a stage's end. If it is dropped, the job may have been written, so it is released.
pub(crate) struct EagerDecision {
    claim: Preclaim,
    session: SessionId,
    priority: i16,
    traceparent: Option<String>,
}

impl EagerDecision {
    /// Preclaims the chain job of the end of `stage`. Returns `None` if there is no such job, or if a chain worker
    /// must run it because it may decide more than which stages start.
    pub(crate) fn preclaim(
        stage: &BegunStage,
        job: &Job,
        finish: &Finish,
        plans: &StagePlans,
    ) -> Option<Self> {
        if finish.next.is_some() {
            return None;
        }
        let next = may_start(&stage.stages, usize::try_from(stage.stage_index).ok()?);
        if next.is_empty() || !next.iter().all(|next| plans.can_plan(next)) {
            return None;
        }
        Some(Self {
            claim: job.preclaim_unserved()?,
            session: finish.session_id,
            priority: finish.priority,
            traceparent: finish.traceparent.clone(),
        })
    }

    /// Returns the claim and lease with which the chain job is written.
    pub(crate) fn lease(&self) -> PreclaimLease {
        lease(&self.claim)
    }

    /// Gives the preclaim up, because chain workers run the job or there is none.
    pub(crate) fn unused(self) {
        self.claim.unused();
    }

    /// Continues in this slot with the chain job.
    pub(crate) fn continue_with(self) -> Outcome {
        self.claim.continue_with(PreclaimedJob {
            queue: chain_queue().to_owned(),
            kind: CHAIN_JOB.to_owned(),
            subject: self.session.as_uuid(),
            priority: self.priority,
            traceparent: self.traceparent,
            prefetched: None,
        })
    }
}

/// Runs chain jobs that become due when this worker ends a stage.
pub(crate) struct EagerDecider {
    loader: Loader,
    starter: Starter,
}

impl EagerDecider {
    /// Creates a decider that reads and writes over `connections` and wakes workers with `waker`.
    pub(crate) fn new(connections: &Connections, waker: &Waker) -> Self {
        Self {
            loader: Loader::new(connections.clone()),
            // No start notice: the session began before, because one of its stages ends here.
            starter: Starter::new(connections.clone(), waker.clone(), || false),
        }
    }

    /// Decides like a chain worker, and starts the stages that are due. Leaves any other decision to a chain worker.
    pub(crate) async fn run(&self, job: &Job, plans: &StagePlans) -> Result<Outcome, BoxError> {
        let session = SessionId::from(job.subject());
        let Some(loaded) = self.loader.load(session).await? else {
            return Ok(Outcome::Done);
        };
        let Ok(state) = loaded else {
            return Ok(Outcome::Release);
        };
        reached("stage.decide");
        match decide(&state) {
            Decision::Nothing => Ok(Outcome::Done),
            Decision::Start(due) if can_plan(&state, &due, plans) => {
                self.start(job, &state, &due, plans).await
            }
            _ => Ok(Outcome::Release),
        }
    }

    async fn start(
        &self,
        job: &Job,
        state: &SessionState,
        due: &[DueStage],
        plans: &StagePlans,
    ) -> Result<Outcome, BoxError> {
        let priority = priority_of(&state.severity);
        let traceparent =
            tarsy_telemetry::current_traceparent().or_else(|| state.traceparent.clone());
        let (mut attempts, mut eager) = (Vec::new(), Vec::<(Preclaim, PreclaimedJob)>::new());
        for stage in due {
            let row = plan_stage(state, stage, plans).ok_or("a stage beyond the chain is due")?;
            let queue = Pool::from(row.pool.as_str()).queue();
            let requires = stage_requires(&row.agent, row.llm_provider.as_deref());
            let claim = match eager.is_empty() {
                true => job.preclaim(&queue, &requires),
                false => job.preclaim_in_other_slot(&queue, &requires),
            };
            attempts.push(NewAttempt {
                preclaim: claim.as_ref().map(lease),
                row,
            });
            let row = &attempts[attempts.len() - 1].row;
            eager.extend(claim.map(|claim| {
                let next = PreclaimedJob {
                    queue,
                    kind: STAGE_JOB.to_owned(),
                    subject: row.execution_id.as_uuid(),
                    priority,
                    traceparent: traceparent.clone(),
                    prefetched: None,
                };
                (claim, next)
            }));
        }
        let start = Start {
            claim: job.claim(),
            attempts,
            stage_count: i32::try_from(state.chain.stages.len())?,
            priority,
            traceparent,
        };
        let preclaimed = match self.starter.start(start).await? {
            Started::Held { preclaimed } => preclaimed,
            Started::ClaimLost => {
                tracing::warn!("the chain's claim was lost; another worker continues");
                Vec::new()
            }
        };
        let (held, others): (Vec<_>, Vec<_>) = eager
            .into_iter()
            .partition(|(_, next)| preclaimed.iter().any(|id| id.as_uuid() == next.subject));
        others.into_iter().for_each(|(claim, _)| claim.unused());
        Ok(Preclaim::continue_with_all(held))
    }
}

/// Returns whether this worker's configuration plans all these stages in the same way as a chain worker's.
fn can_plan(state: &SessionState, due: &[DueStage], plans: &StagePlans) -> bool {
    due.iter().all(|due| {
        let stage = state.chain.stages.get(due.index);
        stage.is_some_and(|stage| plans.can_plan(&stage.for_branch(due.branch.index)))
    })
}

fn lease(claim: &Preclaim) -> PreclaimLease {
    PreclaimLease {
        claim: claim.claim(),
        lease: claim.lease(),
    }
}
