//! Model calls: each question is recorded before it is asked.

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

/// Time after a call's own limit until the driver abandons the call.
const GRACE: Duration = Duration::from_secs(2);

/// Stop sequences for an observation that the model makes up; small models write it as a heading. They match only at
/// the start of a line, because a report may contain the word within a line. With the mark of the fence there are
/// four, the maximum that OpenAI accepts: <https://platform.openai.com/docs/api-reference/chat/create>.
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
        // A summary is optional, because the first page can be shown instead. So a failed summary neither hands over
        // nor pauses the stage.
        let is_summary = summarizer.is_some();
        if let Some(fault) = answer.fault.filter(|_| !is_summary) {
            let why = answer.result.error_message.as_deref();
            // The result is not recorded. The question stays open, and a worker that can reach the model asks it.
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
            // A pause that is longer than the remaining time would be useless: the next decision fails the stage.
            Some(wait) if failed && wait < self.remaining() => Err(RunError::Snooze(wait)),
            Some(_) if failed => {
                self.is_out_of_time = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Records the question, even if it is recorded already. A worker that was frozen after it read the record may
    /// have lost the stage without knowing it. This way it notices before it pays for an answer.
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

/// Returns the stop sequences for a result that the model makes up. A model that writes the mark of a fence is
/// repeating its question, so the mark is a stop sequence too, except in the stage's last reply.
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
