//! Drives an agent: performs what the core decides and records it.

mod model_calls;
mod timed_recorder;
mod tool_calls;

use std::time::Duration;

use tarsy_model::LocalFault;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::timed_recorder::TimedRecorder;
pub use self::timed_recorder::USUAL_RECORD_TIME;
use crate::ask::next_question;
use crate::call::next_call;
use crate::conclude::failed;
use crate::decision_context::DecisionContext;
use crate::ports::{CallStopped, ModelProfile, RecordError};
use crate::{
    Action, AgentBrief, AskTask, CallTask, FailureClass, Model, Recorder, RunError, StageOutcome,
    Tools, Transcript, next_action,
};

/// One agent at work on one stage execution.
pub struct Agent<'a> {
    /// The model it asks.
    pub model: &'a dyn Model,
    /// The model that summarises long tool results. `None`: their first page is shown.
    pub summarizer: Option<&'a dyn Model>,
    /// The tools it may call.
    pub tools: &'a dyn Tools,
    /// Where everything it does is written.
    pub recorder: &'a dyn Recorder,
}

impl Agent<'_> {
    /// Run, or go on from `transcript`, until the stage ends.
    ///
    /// `deadline` is the stage's stored one: a resumed stage gets what is left of it. It is later by the time for which
    /// records wait for Postgres. A stage that is resumed after it ends with what is on record; nothing is asked or called. When
    /// `cancel` fires, what is under way is dropped; it is recorded as begun and is taken up
    /// again, or reported as unknown, when the stage is resumed.
    ///
    /// # Errors
    ///
    /// [`RunError`] when the run stops without an outcome; everything done so far is recorded.
    pub async fn run(
        &self,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<StageOutcome, RunError> {
        let investigated = self.investigate(brief, transcript, deadline, cancel);
        Ok(investigated.await?.0)
    }

    /// As [`Agent::run`]; returns the transcript too, which the answer is checked against.
    ///
    /// # Errors
    ///
    /// As [`Agent::run`].
    #[tracing::instrument(
        name = "invoke_agent",
        skip_all,
        fields(
            otel.name = %format_args!("invoke_agent {}", brief.agent), gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = %brief.agent, session.id = %brief.data.session_id, strategy = %brief.strategy
        )
    )]
    pub async fn investigate(
        &self,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<(StageOutcome, Transcript), RunError> {
        self.drive(Task::Investigate, brief, transcript, deadline, cancel)
            .await
    }

    /// Ask one question, or go on with it. Of the brief only name, stage and limits count.
    ///
    /// # Errors
    ///
    /// As [`Agent::run`].
    pub async fn ask(
        &self,
        task: AskTask<'_>,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<StageOutcome, RunError> {
        let asked = self.drive(Task::Ask(task), brief, transcript, deadline, cancel);
        Ok(asked.await?.0)
    }

    /// Call one tool, or go on with it. Of the brief only name, stage and limits count.
    ///
    /// # Errors
    ///
    /// As [`Agent::run`].
    pub async fn call(
        &self,
        task: &CallTask,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<StageOutcome, RunError> {
        let called = self.drive(Task::Call(task), brief, transcript, deadline, cancel);
        Ok(called.await?.0)
    }

    async fn drive(
        &self,
        task: Task<'_>,
        brief: &AgentBrief,
        transcript: Transcript,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<(StageOutcome, Transcript), RunError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut run = Run {
            agent: self,
            recorder: TimedRecorder::new(self.recorder),
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
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(RunError::Cancelled),
            end = run.until_finished() => end.map(|outcome| (outcome, run.transcript)),
        }
    }
}

/// What decides the next action.
#[derive(Clone, Copy)]
enum Task<'a> {
    Investigate,
    Ask(AskTask<'a>),
    Call(&'a CallTask),
}

/// A run and its state.
struct Run<'a> {
    agent: &'a Agent<'a>,
    recorder: TimedRecorder<'a>,
    task: Task<'a>,
    brief: &'a AgentBrief,
    profile: ModelProfile,
    summarizer: Option<ModelProfile>,
    servers: Vec<String>,
    deadline: Instant,
    /// Whether the stage must end now, whatever time is left.
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
                    let reason = "the stage timed out before it could conclude";
                    return Ok(failed(FailureClass::Deadline, reason));
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
            brief: self.brief,
            profile: &self.profile,
            summarizer: self.summarizer.as_ref(),
            servers: &self.servers,
            remaining: self.remaining(),
            reserve: self.reserve,
        };
        match &self.task {
            Task::Investigate => next_action(&self.transcript, &context),
            Task::Ask(task) => next_question(task, &self.transcript, &context),
            Task::Call(task) => next_call(task, &self.transcript, &context),
        }
    }

    /// Stops the run where another worker may do what this machine can't; returns if none may.
    async fn leave_for_another(&self, fault: LocalFault, why: &str) -> Result<(), RunError> {
        match fault {
            LocalFault::Shortage(shortage) => Err(RunError::Shortage(shortage)),
            LocalFault::Unreachable => match self.recorder.hand_over(why).await? {
                true => Err(RunError::HandedOver),
                false => Ok(()),
            },
        }
    }

    fn remaining(&self) -> Duration {
        match self.is_out_of_time {
            true => Duration::ZERO,
            false => {
                (self.deadline + self.recorder.delays()).saturating_duration_since(Instant::now())
            }
        }
    }
}

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::ClaimLost => Self::ClaimLost,
            RecordError::Refused(source) => Self::Unstorable(source),
            RecordError::Unavailable(source) => Self::Unavailable(source),
        }
    }
}

impl From<CallStopped> for RunError {
    fn from(stopped: CallStopped) -> Self {
        match stopped {
            CallStopped::WaitForSubAgents => Self::WaitForSubAgents,
            CallStopped::ClaimLost => Self::ClaimLost,
            CallStopped::Unavailable(source) => Self::Unavailable(source),
            CallStopped::Shortage(shortage) => Self::Shortage(shortage),
        }
    }
}

fn millis_since(start: Instant) -> i64 {
    i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX)
}
