//! Runs stage jobs: begin, run, finish, all under one claim.

mod failed_end;
mod waiting;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tarsy_failpoint::reached;
use tarsy_model::{ClaimRef, ExecutionId, StageStatus, job_requirement, stage_requires};
use tarsy_queue::{Connections, Handler, Job, Outcome, Waker};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::{BeginStage, BegunStage};
use tarsy_telemetry::advance_chain_span;
use tokio::sync::watch;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::begin::Beginner;
use crate::budget::Budget;
use crate::configuration::StoredHashes;
use crate::eager_decision::{EagerDecider, EagerDecision};
use crate::eager_next_stage::EagerNextStage;
use crate::finish::{CHAIN_JOB, Ended, Finish, Finisher, STAGE_JOB};
use crate::hand_over::restart_deadline;
use crate::runner::{BoxError, StageEnd};
use crate::setup::StageSetup;
use crate::unstorable::{self, UNSTORABLE};
use failed_end::{failed_end, too_long};

/// Runs stage jobs.
///
/// Idempotent. A stage that has ended is not begun again, and an attempt that was begun continues from its records.
/// Its end is written once, under a claim that is still held. A failed agent is an outcome; only errors of Postgres
/// return the job to the queue.
pub(crate) struct StageHandler {
    /// Marks stages active and reads their input.
    pub(crate) beginner: Beginner,
    pub(crate) finisher: Finisher,
    /// Runs chain jobs after the ends of branches.
    pub(crate) decider: EagerDecider,
    /// Current setup, which runs stages and plans the next ones.
    pub(crate) setup: watch::Receiver<Arc<StageSetup>>,
    pub(crate) budget: Budget,
    /// Hashes of the configurations that are stored in the database.
    pub(crate) stored: StoredHashes,
    /// Connections for writes outside of groups.
    pub(crate) connections: Connections,
    /// Wakes chain workers and event readers.
    pub(crate) waker: Waker,
}

impl Handler for StageHandler {
    async fn handle(&self, job: Job) -> Outcome {
        if job.kind() == CHAIN_JOB {
            return self.decide(job).await;
        }
        if job.kind() != STAGE_JOB {
            let requires = vec![job_requirement(job.kind())];
            tracing::warn!(
                job.kind = job.kind(),
                "this version can't run this job; leaving it to a newer worker"
            );
            return Outcome::PassOn(requires);
        }
        let span = tracing::info_span!(
            "run stage", otel.kind = "consumer", otel.status_code = Empty, stage.execution_id = %job.subject(),
            session.id = Empty, stage.name = Empty, error.type = Empty
        );
        if let Some(parent) = job.traceparent() {
            tarsy_telemetry::set_parent(&span, parent);
        }
        match self.run(job).instrument(span).await {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Retry(error),
        }
    }
}

impl StageHandler {
    /// Runs a chain job that became due when this worker ended a stage.
    async fn decide(&self, job: Job) -> Outcome {
        let span = advance_chain_span(job.subject(), job.traceparent());
        let setup = Arc::clone(&self.setup.borrow());
        // Boxed because it is rarer than a stage. The future of a stage should stay small.
        let decided = Box::pin(self.decider.run(&job, &setup.plans));
        match decided.instrument(span).await {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Retry(error),
        }
    }

    async fn run(&self, mut job: Job) -> Result<Outcome, BoxError> {
        let Some(stage) = self.begun(&mut job).await? else {
            tracing::info!(stage.execution_id = %job.subject(), "the stage has ended already; nothing to do");
            return Ok(Outcome::Done);
        };
        let span = Span::current();
        span.record("session.id", tracing::field::display(stage.data.session_id));
        span.record("stage.name", stage.data.current_stage.as_str());
        // The whole run uses one configuration, even if another one is loaded meanwhile.
        let setup = Arc::clone(&self.setup.borrow());
        let requires = stage_requires(&stage.agent, stage.llm_provider.as_deref());
        if !setup.advertised.meets(&requires) {
            return self.pass_on(&stage, job.claim(), requires).await;
        }
        let refused = match self.refuse(&stage, &job) {
            Some(end) => Some(end),
            None => self.budget.refuse(&setup.spending, &stage).await?,
        };
        let end = match refused {
            Some(end) => end,
            None => {
                let fence = StageFence {
                    session_id: stage.data.session_id,
                    execution_id: stage.execution_id,
                    claim: job.claim(),
                };
                let began = Instant::now();
                let end = setup.runner.run(&stage, fence, job.stop()).await;
                let pool = job.queue();
                let pool = pool.strip_prefix("stage:").unwrap_or(pool);
                self.budget.note(&setup.spending, &stage, &end).await;
                tarsy_metrics::jobs::stage_ran(pool, end.word(), began.elapsed().as_secs_f64());
                end
            }
        };
        self.end_stage(&setup, stage, &job, end).await
    }

    /// Returns the hash of the configuration that the stage ran with. A configuration that this process has not stored
    /// yet is written first, so that its row exists before the stage refers to it.
    async fn configuration_hash(
        &self,
        setup: &StageSetup,
        stage: &BegunStage,
    ) -> Result<Option<String>, BoxError> {
        let Some(configuration) = setup.runner.configuration(stage) else {
            return Ok(None);
        };
        let hash = &configuration.hash;
        if !self.stored.contains(hash) {
            let value = &configuration.value;
            let keeping = self.connections.run(async |conn| {
                reached("stage.configuration.before_commit");
                tarsy_store::stage_configurations::keep_stage_configuration(conn, hash, value)
                    .await?;
                reached("stage.configuration.after_commit");
                Ok::<_, tarsy_store::Error>(())
            });
            keeping.await?;
            self.stored.insert(hash);
        }
        Ok(Some(hash.clone()))
    }

    /// Returns the job's stage, which the end of the previous stage began, or which is begun now.
    async fn begun(&self, job: &mut Job) -> Result<Option<Arc<BegunStage>>, BoxError> {
        if let Some(stage) = job.take_prefetched::<BegunStage>() {
            return Ok(Some(stage));
        }
        let begin = BeginStage {
            execution_id: ExecutionId::from(job.subject()),
            claim: job.claim(),
            crashes: job.crashes(),
        };
        Ok(self.beginner.begin(begin).await?.map(Arc::new))
    }

    /// Returns the failed end of a claimed stage that must not run, if so.
    fn refuse(&self, stage: &BegunStage, job: &Job) -> Option<StageEnd> {
        let failed = |reason: String, class: &str| {
            Some(StageEnd::Failed {
                reason,
                class: class.to_owned(),
            })
        };
        if let Some(reason) = &stage.unreadable {
            return failed(reason.clone(), "unreadable");
        }
        if job.is_poison() {
            return failed(
                format!(
                    "the stage crashed {} workers, the last ones while it ran alone; it is not retried",
                    job.crashes()
                ),
                "crashed",
            );
        }
        // A resumed stage may have concluded already, and only its end is missing.
        if stage.remaining_ms <= 0 && !stage.resumed {
            return failed(
                "the stage timed out before it could conclude".to_owned(),
                "deadline",
            );
        }
        None
    }

    async fn end_stage(
        &self,
        setup: &StageSetup,
        stage: Arc<BegunStage>,
        job: &Job,
        end: StageEnd,
    ) -> Result<Outcome, BoxError> {
        let finish = match end {
            StageEnd::Completed { output } => Finish {
                status: StageStatus::Completed,
                output: Some(output),
                ..failed_end(setup, &stage, job.claim())
            },
            StageEnd::Failed { reason, class } => {
                Span::current().record("otel.status_code", "ERROR");
                Span::current().record("error.type", class.as_str());
                tracing::warn!(
                    session.id = %stage.data.session_id, stage.name = stage.data.current_stage,
                    error.class = class, reason, "stage failed"
                );
                Finish {
                    error: Some(reason),
                    error_class: Some(class),
                    ..failed_end(setup, &stage, job.claim())
                }
            }
            StageEnd::Snooze(delay) => match too_long(setup, &stage, delay) {
                None => return self.snooze(&stage, job.claim(), delay).await,
                Some(reason) => Finish {
                    error: Some(reason),
                    error_class: Some("rate_limited".to_owned()),
                    ..failed_end(setup, &stage, job.claim())
                },
            },
            StageEnd::Wait(call) => {
                let role = setup.runner.approver(&call.server);
                return self.ask_about_call(&stage, job.claim(), *call, role).await;
            }
            StageEnd::WaitToSpend(question) => {
                return self.ask_to_spend(&stage, job.claim(), *question).await;
            }
            StageEnd::WaitForSubAgents => {
                return self.wait_for_sub_agents(&stage, job.claim()).await;
            }
            StageEnd::Retry(error) => return Ok(Outcome::Retry(error)),
            StageEnd::Shortage(shortage) => {
                let fence = StageFence {
                    session_id: stage.data.session_id,
                    execution_id: stage.execution_id,
                    claim: job.claim(),
                };
                restart_deadline(&self.connections, fence, job.stop()).await;
                return Ok(Outcome::Retry(shortage.into()));
            }
            StageEnd::HandedOver => return Ok(Outcome::Finished),
            StageEnd::Stopped => return Ok(Outcome::Release),
        };
        self.finish(setup, stage, job, finish).await
    }

    /// Writes the end, and continues with the next stage of the chain if it may run here.
    async fn finish(
        &self,
        setup: &StageSetup,
        stage: Arc<BegunStage>,
        job: &Job,
        mut finish: Finish,
    ) -> Result<Outcome, BoxError> {
        finish.configuration_hash = self.configuration_hash(setup, &stage).await?;
        let eager = EagerNextStage::preclaim(&stage, job, &finish);
        let decision = EagerDecision::preclaim(&stage, job, &finish, &setup.plans);
        let lease = eager.as_ref().map(EagerNextStage::lease);
        finish.preclaim = lease.or_else(|| decision.as_ref().map(EagerDecision::lease));
        let status = finish.status;
        let ended = match self.finisher.finish(finish).await {
            Ok(ended) => ended,
            Err(error) => {
                let reason = unstorable::reason(&error).ok_or(error)?;
                self.fail_unstorable(setup, &stage, job, reason).await?
            }
        };
        if ended != Ended::ClaimLost {
            tracing::info!(
                session.id = %stage.data.session_id, stage.execution_id = %stage.execution_id,
                stage.name = stage.data.current_stage, %status, "stage ended"
            );
        }
        match (ended, eager, decision) {
            (
                Ended::NextStageBegun {
                    attempt,
                    started_at_us,
                },
                Some(eager),
                _,
            ) => {
                let stage = BegunStage {
                    started_at_us,
                    ..Arc::unwrap_or_clone(stage)
                };
                return Ok(eager.continue_with(stage, attempt));
            }
            (Ended::ChainJobHeld, _, Some(decision)) => return Ok(decision.continue_with()),
            (_, Some(eager), _) => eager.unused(),
            (_, _, Some(decision)) => decision.unused(),
            (_, None, None) => {}
        }
        if ended == Ended::ClaimLost {
            tracing::warn!(
                stage.execution_id = %stage.execution_id,
                "the claim was lost before the stage could be finished; its end was refused"
            );
        }
        Ok(Outcome::Finished)
    }

    /// Ends a stage as failed if the database refused its end because of its content.
    async fn fail_unstorable(
        &self,
        setup: &StageSetup,
        stage: &BegunStage,
        job: &Job,
        reason: String,
    ) -> Result<Ended, BoxError> {
        tracing::error!(
            session.id = %stage.data.session_id, stage.execution_id = %stage.execution_id, reason,
            "the end of a stage can't be stored; the stage fails"
        );
        let finish = Finish {
            error: Some(reason),
            error_class: Some(UNSTORABLE.to_owned()),
            configuration_hash: self.configuration_hash(setup, stage).await?,
            ..failed_end(setup, stage, job.claim())
        };
        Ok(self.finisher.finish(finish).await?)
    }

    /// Releases a stage for a worker that offers its requirements. Its job, of an older version, does not name them.
    async fn pass_on(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
        requires: Vec<String>,
    ) -> Result<Outcome, BoxError> {
        tracing::info!(
            stage.execution_id = %stage.execution_id, stage.name = stage.data.current_stage, ?requires,
            "this worker does not offer what the stage requires; leaving it to another worker"
        );
        let unsetting = self.connections.run(async |conn| {
            reached("rollout.unset_deadline.before_commit");
            tarsy_store::stages::unset_deadline(conn, stage.execution_id, claim, stage.resumed)
                .await?;
            reached("rollout.unset_deadline.after_commit");
            Ok(())
        });
        match unsetting.await {
            Ok(()) => Ok(Outcome::PassOn(requires)),
            Err(tarsy_store::Error::ClaimLost) => Ok(Outcome::Release),
            Err(error) => Err(error.into()),
        }
    }

    /// Snoozes the stage. Waiting for the provider costs neither an attempt nor running time.
    async fn snooze(
        &self,
        stage: &BegunStage,
        claim: ClaimRef,
        delay: Duration,
    ) -> Result<Outcome, BoxError> {
        let millis = i64::try_from(delay.as_millis())?;
        let extending = self.connections.run(async |conn| {
            reached("stage.snooze.before_commit");
            tarsy_store::stages::extend_deadline(conn, stage.execution_id, claim, millis).await?;
            reached("stage.snooze.after_commit");
            Ok(())
        });
        match extending.await {
            Ok(()) => Ok(Outcome::Snooze(delay)),
            Err(tarsy_store::Error::ClaimLost) => Ok(Outcome::Release),
            Err(error) => Err(error.into()),
        }
    }
}
