//! Chain jobs: decide from the rows, carry it out, end the job, all under its claim.

use std::sync::Arc;

use tarsy_config::StagePlans;
use tarsy_failpoint::reached;
use tarsy_model::{ExecutionId, SessionId, priority_of};
use tarsy_queue::{Handler, Job, Outcome};
use tarsy_store::{ChainRow, FinishSession, NewStage};
use tracing::Instrument as _;

use crate::advance::{Advancer, CHAIN_JOB, Finish, Start};
use crate::decide::{DueStage, Next, decide, give_up};
use crate::housekeeping::Pace;
use crate::load::Loader;
use crate::runbooks::Runbooks;

/// Runs chain jobs.
///
/// Idempotent: the next step is computed from rows, a stage attempt that exists is not made
/// again, a session that has ended stays so, and all of it is written only under a claim
/// that is still held.
pub(crate) struct ChainHandler {
    /// Reads sessions.
    pub(crate) loader: Loader,
    /// Writes transitions.
    pub(crate) advancer: Advancer,
    /// Fetches runbooks.
    pub(crate) runbooks: Runbooks,
    /// How configured agents run stages.
    pub(crate) plans: StagePlans,
    /// For what is done beside the chains.
    pub(crate) pace: Arc<Pace>,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Handler for ChainHandler {
    async fn handle(&self, job: Job) -> Outcome {
        if job.kind() != CHAIN_JOB {
            return Outcome::DeadLetter(
                format!("chain workers run no jobs of kind `{}`", job.kind()).into(),
            );
        }
        self.pace.count();
        let span = tracing::info_span!("advance chain", session.id = %job.subject());
        if let Some(parent) = job.traceparent() {
            tarsy_telemetry::set_parent(&span, parent);
        }
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
            tracing::warn!(session.id = %session, "a chain job names a session that is gone");
            return Ok(Outcome::Done);
        };
        let mut row = match loaded {
            Ok(row) => row,
            Err(unreadable) => {
                let reason = unreadable.reason;
                tracing::error!(session.id = %session, reason, "session given up");
                return self.finish(job, give_up(session, &reason)).await;
            }
        };
        if job.is_poison() {
            let reason = format!("deciding its next stage ended {} workers", job.crashes());
            tracing::error!(session.id = %session, reason, "session given up");
            return self.finish(job, give_up(session, &reason)).await;
        }
        reached("chain.decide");
        let mut next = decide(&row);
        if let Next::FetchRunbook { url } = &next {
            let fetched = tokio::select! {
                fetched = self.runbooks.settle(session, url) => fetched?,
                _ = job.stop().stopped() => return Err("stopped while fetching the runbook".into()),
            };
            reached("chain.runbook.settled");
            row.runbook_settled = true;
            row.runbook_error = fetched.err();
            next = decide(&row);
        }
        match next {
            Next::Nothing | Next::FetchRunbook { .. } => Ok(Outcome::Done),
            Next::Start(due) => self.start(job, &row, due).await,
            Next::Finish(session) => self.finish(job, session).await,
        }
    }

    async fn start(&self, job: &Job, row: &ChainRow, due: DueStage) -> Result<Outcome, BoxError> {
        let stage = row
            .chain
            .stages
            .get(due.index)
            .ok_or("a stage beyond the chain is due")?;
        let plan = self.plans.of(stage, row.chain.llm_provider.as_deref());
        let start = Start {
            claim: job.claim(),
            stage: NewStage {
                execution_id: ExecutionId::generate(),
                session_id: row.session_id,
                stage_index: i32::try_from(due.index)?,
                stage_name: stage.name.clone(),
                agent: stage.agent.clone(),
                strategy: plan.strategy,
                llm_provider: plan.llm_provider,
                pool: stage.pool.as_str().to_owned(),
                attempt: due.attempt,
                round: due.round,
                timeout_ms: i64::try_from(plan.timeout.as_millis())?,
            },
            stage_count: i32::try_from(row.chain.stages.len())?,
            priority: priority_of(&row.severity),
            traceparent: row.traceparent.clone(),
        };
        Ok(ended(self.advancer.start(start).await?))
    }

    async fn finish(&self, job: &Job, session: FinishSession) -> Result<Outcome, BoxError> {
        let claim = job.claim();
        let finish = Finish { claim, session };
        Ok(ended(self.advancer.finish(finish).await?))
    }
}

/// The transition has ended the job, or found its claim lost.
fn ended(was_held: bool) -> Outcome {
    if !was_held {
        tracing::warn!("the chain's claim was lost; another worker goes on");
    }
    Outcome::Finished
}
