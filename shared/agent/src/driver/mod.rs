//! Drives an agent: performs what the core decides and records it.

mod model_calls;
mod tool_calls;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tarsy_model::LocalFault;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::decision_context::DecisionContext;
use crate::ports::ModelProfile;
use crate::{
    Action, AgentBrief, AskTask, CallTask, FailureClass, Model, Recorder, RunError, StageOutcome,
    Tools, Transcript, next_action,
};

/// Longest usual time to write a record. A write that takes longer is waiting for an unavailable Postgres, and the
/// excess does not count against the stage.
pub const USUAL_RECORD_TIME: Duration = Duration::from_secs(1);

/// One agent at work on one stage execution.
pub struct Agent<'a> {
    /// The model it asks.
    pub model: &'a dyn Model,
    /// The model that summarises long tool results. `None`: their first page is shown.
    pub summarizer: Option<&'a dyn Model>,
    /// The tools it may call.
    pub tools: &'a dyn Tools,
    /// Records everything that the agent does.
    pub recorder: &'a dyn Recorder,
}

/// Task of an agent in a stage. It determines how the next action is decided.
#[derive(Clone, Copy)]
pub enum Task<'a> {
    /// Investigates by its strategy, or by its code.
    Investigate,
    /// Asks one question. Only the name, stage and limits of the brief are used.
    Ask(AskTask<'a>),
    /// Calls one tool. Only the name, stage and limits of the brief are used.
    Call(&'a CallTask),
}

impl Agent<'_> {
    /// Runs the stage, or resumes it from `transcript`, until it ends. Also returns the transcript, which the answer
    /// is checked against.
    ///
    /// `deadline` is the stage's stored deadline, so a resumed stage gets only the time that is left. Time that
    /// records spend waiting for Postgres extends it. A stage that is resumed after its deadline ends with the
    /// recorded results; no model or tool is called. When `cancel` fires, calls in progress are dropped and stay
    /// recorded as begun. When the stage is resumed, they are taken up again or reported as unknown.
    ///
    /// # Errors
    ///
    /// [`RunError`] when the run stops without an outcome; everything done so far is recorded.
    pub async fn run(
        &self,
        task: Task<'_>,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<(StageOutcome, Transcript), RunError> {
        let span = match task {
            Task::Investigate => tracing::info_span!(
                "invoke_agent",
                otel.name = %format_args!("invoke_agent {}", brief.agent), gen_ai.operation.name = "invoke_agent",
                gen_ai.agent.name = %brief.agent, session.id = %brief.data.session_id, strategy = %brief.strategy
            ),
            Task::Ask(_) | Task::Call(_) => Span::none(),
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let mut run = Run {
            agent: self,
            delays: Mutex::default(),
            task,
            brief,
            profile: self.model.profile(),
            summarizer: self.summarizer.map(Model::profile),
            servers: self.tools.servers(),
            deadline,
            is_out_of_time: false,
            is_too_late: left.is_zero(),
            reserve: brief.limits.conclusion_reserve.min(left / 4),
            transcript,
        };
        let running = async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(RunError::Cancelled),
                end = run.until_finished() => end.map(|outcome| (outcome, run.transcript)),
            }
        };
        running.instrument(span).await
    }
}

/// A run and its state.
struct Run<'a> {
    agent: &'a Agent<'a>,
    /// Total time that records took beyond [`USUAL_RECORD_TIME`].
    delays: Mutex<Duration>,
    task: Task<'a>,
    brief: &'a AgentBrief,
    profile: ModelProfile,
    summarizer: Option<ModelProfile>,
    servers: Vec<String>,
    deadline: Instant,
    /// Whether the stage must end now, even if time is left.
    is_out_of_time: bool,
    /// Whether the deadline had passed before the run began.
    is_too_late: bool,
    reserve: Duration,
    transcript: Transcript,
}

impl Run<'_> {
    async fn until_finished(&mut self) -> Result<StageOutcome, RunError> {
        loop {
            match self.decide() {
                Action::Finish(outcome) => return Ok(outcome),
                _ if self.is_too_late => {
                    return Ok(StageOutcome::Failed {
                        reason: "the stage timed out before it could conclude".to_owned(),
                        class: FailureClass::Deadline,
                    });
                }
                Action::ListTools(listings) => self.list_tools(listings).await?,
                Action::AskModel(question) => self.ask(*question).await?,
                Action::CallTools(calls) => self.call_tools(calls).await?,
                Action::Wait(call) => return Err(RunError::Wait(call)),
            }
        }
    }

    fn decide(&self) -> Action {
        let context = DecisionContext {
            transcript: &self.transcript,
            brief: self.brief,
            profile: &self.profile,
            summarizer: self.summarizer.as_ref(),
            servers: &self.servers,
            remaining: self.remaining(),
            reserve: self.reserve,
        };
        match &self.task {
            Task::Investigate => next_action(&context),
            Task::Ask(task) => task.next(&context),
            Task::Call(task) => task.next(&context),
        }
    }

    /// Stops the run if another worker may be able to do what this machine can't. Returns `Ok` if there is no such
    /// worker.
    async fn leave_for_another(&self, fault: LocalFault, why: &str) -> Result<(), RunError> {
        match fault {
            LocalFault::Shortage(shortage) => Err(RunError::Shortage(shortage)),
            LocalFault::Unreachable => match self.record(|to| to.hand_over(why)).await? {
                true => Err(RunError::HandedOver),
                false => Ok(()),
            },
        }
    }

    /// Writes a record. Time beyond [`USUAL_RECORD_TIME`] does not count against the stage.
    async fn record<'s, T, F: Future<Output = Result<T, RunError>>>(
        &'s self,
        write: impl FnOnce(&'s dyn Recorder) -> F,
    ) -> Result<T, RunError> {
        let began = Instant::now();
        let written = write(self.agent.recorder).await;
        let delay = began.elapsed().saturating_sub(USUAL_RECORD_TIME);
        *self.delays.lock().unwrap_or_else(PoisonError::into_inner) += delay;
        written
    }

    fn remaining(&self) -> Duration {
        let delays = *self.delays.lock().unwrap_or_else(PoisonError::into_inner);
        match self.is_out_of_time {
            true => Duration::ZERO,
            false => (self.deadline + delays).saturating_duration_since(Instant::now()),
        }
    }
}

fn millis_since(start: Instant) -> i64 {
    i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX)
}
