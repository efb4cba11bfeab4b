//! Runs chain jobs: decides from the rows, writes the transition and ends the job, all under its claim.

use std::sync::Arc;

use tarsy_chain::{
    Decision, DueStage, RunbookState, SessionEnd, SessionState, SettledStage, decide, give_up,
};
use tarsy_failpoint::reached;
use tarsy_model::{
    CHILDREN_JOB, START_NOTICE_JOB, SUB_AGENT_CHAIN, SessionId, WAIT_JOB, WAIT_NOTICE_JOB, WaitId,
    job_requirement, priority_of,
};
use tarsy_queue::{BoxError, Handler, Job, Outcome};
use tarsy_store::stages::NewStage;
use tarsy_telemetry::advance_chain_span;
use tarsy_transitions::{Gate, Loader, NewAttempt, Start, plan_stage};
use tokio::sync::watch;
use tracing::Instrument as _;

use crate::advance::{Advancer, CHAIN_JOB, Finish, UnrunStages};
use crate::housekeeping::BackgroundThrottle;
use crate::setup::ChainSetup;

/// Runs chain jobs.
///
/// Idempotent. The next step is computed from rows, an existing stage attempt is not created again, and an ended
/// session stays ended. Everything is written only under a claim that is still held.
pub(crate) struct ChainHandler {
    pub(crate) loader: Loader,
    pub(crate) advancer: Advancer,
    /// Current setup, which fetches runbooks and plans stages.
    pub(crate) setup: watch::Receiver<Arc<ChainSetup>>,
    pub(crate) throttle: Arc<BackgroundThrottle>,
}

impl Handler for ChainHandler {
    async fn handle(&self, job: Job) -> Outcome {
        let wait = WaitId::from(job.subject());
        match job.kind() {
            // Boxed because these jobs are rarer than chain jobs. The future of a chain job should stay small, because
            // it is moved a few times.
            WAIT_JOB => return retry_on_error(Box::pin(self.advancer.end_wait(wait)).await),
            WAIT_NOTICE_JOB => return retry_on_error(self.advancer.announce_wait(wait).await),
            START_NOTICE_JOB => {
                let session = SessionId::from(job.subject());
                return retry_on_error(self.advancer.announce_start(session).await);
            }
            CHILDREN_JOB => {
                let parent = SessionId::from(job.subject());
                return retry_on_error(
                    Box::pin(self.advancer.end_waits_for_children(parent)).await,
                );
            }
            _ => {}
        }
        if job.kind() != CHAIN_JOB {
            return passed_on(&job, vec![job_requirement(job.kind())]);
        }
        self.throttle.count_chain_job();
        let span = advance_chain_span(job.subject(), job.traceparent());
        match self.next(&job).instrument(span).await {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Retry(error),
        }
    }
}

impl ChainHandler {
    async fn next(&self, job: &Job) -> Result<Outcome, BoxError> {
        let session = SessionId::from(job.subject());
        let Some(loaded) = self.loader.load(session).await? else {
            tracing::warn!(session.id = %session, "the session of this chain job no longer exists");
            return Ok(Outcome::Done);
        };
        let mut state = match loaded {
            Ok(state) => state,
            Err(unreadable) if !unreadable.requires.is_empty() => {
                return Ok(passed_on(job, unreadable.requires));
            }
            Err(unreadable) => {
                return self.give_up(job, session, &unreadable.reason).await;
            }
        };
        let has_parent = state.chain.chain_id == SUB_AGENT_CHAIN;
        if job.is_poison() {
            let reason = format!("deciding the next stage crashed {} workers", job.crashes());
            return self.give_up(job, session, &reason).await;
        }
        loop {
            reached("chain.decide");
            match decide(&state) {
                Decision::Nothing => return Ok(Outcome::Done),
                Decision::FetchRunbook { url } => {
                    let runbooks = self.setup.borrow().runbooks.clone();
                    let fetched = tokio::select! {
                        fetched = runbooks.fetch_and_record(session, &url) => fetched?,
                        _ = job.stop().stopped() => return Err("stopped while fetching the runbook".into()),
                    };
                    reached("chain.runbook.settled");
                    state.runbook = match fetched {
                        Ok(()) => RunbookState::Fetched,
                        Err(error) => RunbookState::Failed { error },
                    };
                }
                Decision::Settle(stages) => {
                    if !self.settle_stages(job, &state, &stages).await? {
                        return Ok(ended(false));
                    }
                    state = self.reloaded(session).await?;
                }
                Decision::Wait(due) => {
                    if !self.wait(job, &state, &due).await? {
                        return Ok(ended(false));
                    }
                    state = self.reloaded(session).await?;
                }
                Decision::Start(due) => return self.start(job, &state, &due).await,
                Decision::Finish(end) => return self.finish(job, end, has_parent).await,
            }
        }
    }

    /// Reads the rows again after a transition under the same claim. The stages that it made due are then decided from
    /// them.
    async fn reloaded(&self, session: SessionId) -> Result<SessionState, BoxError> {
        match self.loader.load(session).await? {
            Some(Ok(state)) => Ok(state),
            _ => Err("the session can't be read any more".into()),
        }
    }

    async fn wait(
        &self,
        job: &Job,
        state: &SessionState,
        due: &[DueStage],
    ) -> Result<bool, BoxError> {
        let gates = due.iter().map(|stage| {
            let row = self.row(state, stage)?;
            let definition = &state.chain.stages[stage.index];
            Gate::from_stage(&state.chain.chain_id, definition, row)
                .ok_or_else(|| "no stage that waits".into())
        });
        let gates: Vec<Gate> = gates.collect::<Result<_, BoxError>>()?;
        let stage_count = i32::try_from(state.chain.stages.len())?;
        let priority = priority_of(&state.severity);
        let held = self
            .advancer
            .wait(job.claim(), &gates, stage_count, priority);
        Ok(held.await?)
    }

    async fn settle_stages(
        &self,
        job: &Job,
        state: &SessionState,
        stages: &[SettledStage],
    ) -> Result<bool, BoxError> {
        let rows = stages.iter().map(|settled| {
            let row = self.row(state, &settled.stage)?;
            Ok((row, settled.status, settled.reason.clone()))
        });
        let unrun = UnrunStages {
            claim: job.claim(),
            stages: rows.collect::<Result<_, BoxError>>()?,
            stage_count: i32::try_from(state.chain.stages.len())?,
        };
        Ok(self.advancer.settle_stages(unrun).await?)
    }

    async fn start(
        &self,
        job: &Job,
        state: &SessionState,
        due: &[DueStage],
    ) -> Result<Outcome, BoxError> {
        let attempts = due.iter().map(|stage| {
            let row = self.row(state, stage)?;
            Ok(NewAttempt {
                row,
                preclaim: None,
            })
        });
        let start = Start {
            claim: job.claim(),
            attempts: attempts.collect::<Result<_, BoxError>>()?,
            stage_count: i32::try_from(state.chain.stages.len())?,
            priority: priority_of(&state.severity),
            traceparent: tarsy_telemetry::current_traceparent()
                .or_else(|| state.traceparent.clone()),
        };
        Ok(ended(self.advancer.start(start).await?))
    }

    /// Plans the row of an attempt from the configuration of its branch's agent.
    fn row(&self, state: &SessionState, due: &DueStage) -> Result<NewStage, BoxError> {
        let setup = self.setup.borrow();
        let row = plan_stage(state, due, &setup.plans);
        row.ok_or_else(|| "a stage beyond the chain is due".into())
    }

    /// Fails a session that can't be decided, together with its running stages.
    async fn give_up(
        &self,
        job: &Job,
        session: SessionId,
        reason: &str,
    ) -> Result<Outcome, BoxError> {
        tracing::error!(session.id = %session, reason, "session failed");
        let finish = Finish {
            claim: job.claim(),
            session: give_up(session, reason),
            // The chain may be unreadable, so assume a parent.
            has_parent: true,
        };
        Ok(ended(self.advancer.give_up(finish).await?))
    }

    async fn finish(
        &self,
        job: &Job,
        session: SessionEnd,
        has_parent: bool,
    ) -> Result<Outcome, BoxError> {
        let claim = job.claim();
        let finish = Finish {
            claim,
            session,
            has_parent,
        };
        let (session, status, outcome) = (
            finish.session.session_id,
            finish.session.status,
            finish.session.outcome,
        );
        let held = self.advancer.finish(finish).await?;
        if held {
            tracing::info!(session.id = %session, %status, ?outcome, "session ended");
        }
        Ok(ended(held))
    }
}

/// Leaves a job to a newer version that offers the requirements.
fn passed_on(job: &Job, requires: Vec<String>) -> Outcome {
    tracing::warn!(
        job.id = %job.claim().job_id, job.kind = job.kind(), ?requires,
        "this version can't run or read this; leaving it to a newer chain worker"
    );
    Outcome::PassOn(requires)
}

/// Returns the outcome of a wait's job; after an error it is retried.
fn retry_on_error(outcome: Result<Outcome, crate::Error>) -> Outcome {
    outcome.unwrap_or_else(|error| Outcome::Retry(error.into()))
}

/// Returns the outcome after a transition. It has ended the job, or found its claim lost.
fn ended(was_held: bool) -> Outcome {
    if !was_held {
        tracing::warn!("the chain's claim was lost; another worker continues");
    }
    Outcome::Finished
}
