//! Calls of the model.

use std::time::Duration;

use serde_json::json;
use tarsy_llm::{CallLabels, ChatRequest, FormChange, ToolSpec};
use tarsy_model::{
    InteractionId, LlmIntent, LlmPurpose, LlmResult, RecordedInteraction, RecordedLlm, SessionId,
    UnixMicros,
};
use tokio::time::{Instant, timeout};

use super::{Run, millis_since};
use crate::RunError;
use crate::action::Question;
use crate::fence::Fence;
use crate::outage::outage_pause;
use crate::ports::{ModelAnswer, ModelProfile};

/// How much longer than its own limit a call may take before it is given up from outside.
const GRACE: Duration = Duration::from_secs(2);

/// Where a model begins to make up an observation: a small one writes a heading. A report may say the word within a line. With the
/// mark of the fence they are four, as many as OpenAI takes: <https://platform.openai.com/docs/api-reference/chat/create>.
const OBSERVATIONS: [&str; 3] = ["\nObservation:", "\n### Observation", "\n**Observation"];

impl Run<'_> {
    #[tracing::instrument(
        name = "ask model",
        skip_all,
        fields(llm.iteration = question.iteration, llm.purpose = %question.purpose)
    )]
    pub(super) async fn ask(&mut self, question: Question) -> Result<(), RunError> {
        let summarizer = match question.purpose {
            LlmPurpose::ResultSummary => self.agent.summarizer,
            _ => None,
        };
        let model = summarizer.unwrap_or(self.agent.model);
        let id = self.begin_question(&question, &model.profile()).await?;
        let started = Instant::now();
        let asked = model.ask(self.request(id, &question));
        let patience = (question.timeout + GRACE).min(self.remaining());
        let answered = timeout(patience, asked).await;
        let mut answer = answered.unwrap_or_else(|_| no_answer_in_time(question.timeout));
        answer.result.duration_ms = millis_since(started);
        // Without a summary the first page is shown: nothing is waited for.
        let is_summary = summarizer.is_some();
        if let Some(fault) = answer.fault.filter(|_| !is_summary) {
            let why = answer.result.error_message.as_deref();
            // Not recorded: the question stays open, and is asked where it can be.
            self.leave_for_another(fault, why.unwrap_or("no model could be reached"))
                .await?;
        }
        let result = &answer.result;
        let kept = self.record(|to| to.finish_llm(id, result)).await?;
        let failed = !kept.success && !is_summary;
        self.transcript.finish_llm(id, kept, answer.result);
        let outage = || outage_pause(&self.transcript, self.brief.limits.outage_wait);
        let pause = answer.retry_after.or_else(outage);
        match pause {
            // A pause that outlasts the stage is no pause: the next decision fails the stage.
            Some(wait) if failed && wait < self.remaining() => Err(RunError::Snooze(wait)),
            Some(_) if failed => {
                self.is_out_of_time = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Record the question. One that is there already is recorded again: a worker that lost the stage without
    /// knowing it, frozen since it read the record, learns of it before it buys an answer.
    async fn begin_question(
        &mut self,
        question: &Question,
        profile: &ModelProfile,
    ) -> Result<InteractionId, RunError> {
        let interaction_id = question.recorded.unwrap_or_else(InteractionId::generate);
        let intent = LlmIntent {
            interaction_id,
            sequence: question.sequence,
            iteration: question.iteration,
            purpose: question.purpose,
            provider: profile.provider.clone(),
            model_name: profile.model_name.clone(),
            temperature: profile.temperature,
            new_messages: json!(question.new_messages),
            step_description: question.step_description.clone(),
        };
        self.record(|to| to.begin_llm(&intent)).await?;
        if question.recorded.is_none() {
            self.transcript.begin(RecordedInteraction::Llm(RecordedLlm {
                intent,
                result: None,
                timestamp_us: UnixMicros(0),
            }));
        }
        Ok(interaction_id)
    }

    fn request(&self, id: InteractionId, question: &Question) -> ChatRequest {
        let tools = question.tools.iter().map(|tool| ToolSpec {
            name: tool.native_name(),
            description: tool.description.clone(),
            schema: tool.input_schema.clone(),
        });
        ChatRequest {
            messages: question.messages.clone(),
            tools: tools.collect(),
            forbid_tools: question.forbid_tools,
            is_data: question.is_data,
            response_schema: question.response_schema.clone(),
            stop_sequences: match question.stops_at_observation {
                true => stop_sequences(self.brief.data.session_id, question.purpose),
                false => Vec::new(),
            },
            form_change: question.form_change.map(|(from, to)| FormChange {
                from: from.as_str(),
                to: to.as_str(),
            }),
            request_id: id.to_string(),
            deadline: Some(Instant::now() + question.timeout),
            labels: CallLabels {
                stage: Some(self.brief.data.current_stage.clone()),
                agent: Some(self.brief.agent.clone()),
                strategy: Some(self.brief.strategy.as_str().to_owned()),
            },
            ..ChatRequest::default()
        }
    }
}

/// Where a model begins to make up a result. One that writes the mark of a fence repeats its question, unless the reply is its last one.
fn stop_sequences(session: SessionId, purpose: LlmPurpose) -> Vec<String> {
    let mut all = OBSERVATIONS.map(str::to_owned).to_vec();
    if purpose == LlmPurpose::Iteration {
        all.push(format!(" START {}>>>", Fence::new(session).id()));
    }
    all
}

fn no_answer_in_time(limit: Duration) -> ModelAnswer {
    ModelAnswer {
        result: LlmResult {
            error_class: Some("timeout".to_owned()),
            error_message: Some(format!("no answer within {} s", limit.as_secs())),
            ..LlmResult::default()
        },
        ..ModelAnswer::default()
    }
}
