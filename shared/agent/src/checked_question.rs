//! One question to a model whose answer is checked, and sent back with what is wrong with it.

use tarsy_llm::ChatMessage;
use tarsy_model::{LlmIntent, LlmPurpose, LlmResult};

use crate::conclude::no_answer;
use crate::decision_context::DecisionContext;
use crate::next::Action;
use crate::question::{Question, halvings, may_ask_again};
use crate::transcript::{Transcript, Turn};
use crate::{FailureClass, budget};

/// How often an answer that does not match is sent back.
const MAX_CORRECTIONS: usize = 2;

/// Characters of a wrong answer that the model is shown again.
const SHOWN_AGAIN: usize = 16_000;

/// A question with a checked answer.
pub(crate) struct CheckedQuestion<'a, T> {
    pub(crate) system: &'a str,
    pub(crate) prompt: String,
    /// Reads the answer that was given after this many corrections; the error is for the model.
    pub(crate) read: &'a dyn Fn(&str, usize) -> Result<T, String>,
    pub(crate) purpose: LlmPurpose,
    /// Whether the answer is data, not text for people.
    pub(crate) is_data: bool,
    /// Iteration that its calls are recorded with.
    pub(crate) iteration: i32,
    pub(crate) step_description: &'a str,
}

/// Where a checked question stands.
pub(crate) enum Checked<T> {
    Next(Action),
    /// It has its answer.
    Answered(T),
    /// It has none, and won't get one.
    Failed(FailureClass, String),
}

impl<T> CheckedQuestion<'_, T> {
    /// Decides what is next from the calls of this purpose.
    pub(crate) fn decide(
        &self,
        transcript: &Transcript,
        context: &DecisionContext<'_>,
    ) -> Checked<T> {
        let mut turns = transcript.turns();
        turns.retain(|turn| turn.llm.intent.purpose == self.purpose);
        let Some(last) = turns.last() else {
            return self.ask(&turns, transcript, context, None);
        };
        match &last.llm.result {
            None => self.ask(&turns, transcript, context, Some(&last.llm.intent)),
            Some(result) if !result.success => {
                self.after_failure(result, &turns, transcript, context)
            }
            Some(result) => match self.read(result, answers(&turns).count().saturating_sub(1)) {
                Ok(answer) => Checked::Answered(answer),
                Err(why) if answers(&turns).count() > MAX_CORRECTIONS => Checked::Failed(
                    FailureClass::InvalidOutput,
                    format!(
                        "the model's answer does not match after {MAX_CORRECTIONS} corrections: {why}"
                    ),
                ),
                Err(_) => self.ask(&turns, transcript, context, None),
            },
        }
    }

    fn read(&self, answer: &LlmResult, corrections: usize) -> Result<T, String> {
        let text = answer.response_text.as_deref().unwrap_or_default();
        (self.read)(text.trim(), corrections)
    }

    fn messages(&self, turns: &[Turn<'_>]) -> Vec<ChatMessage> {
        let mut all = vec![
            ChatMessage::system(self.system),
            ChatMessage::user(self.prompt.as_str()),
        ];
        for (corrections, answer) in answers(turns).enumerate() {
            if let Err(why) = self.read(answer, corrections) {
                let said = answer.response_text.as_deref().unwrap_or_default().trim();
                let said: String = match said.is_empty() {
                    true => "(empty)".to_owned(),
                    false => said.chars().take(SHOWN_AGAIN).collect(),
                };
                all.push(ChatMessage::assistant(said));
                all.push(ChatMessage::user(format!(
                    "That can't be used: {why}. Reply again, with the corrected answer and nothing else."
                )));
            }
        }
        all
    }

    fn ask(
        &self,
        turns: &[Turn<'_>],
        transcript: &Transcript,
        context: &DecisionContext<'_>,
        begun: Option<&LlmIntent>,
    ) -> Checked<T> {
        if context.remaining.is_zero() {
            return Checked::Failed(
                FailureClass::Deadline,
                "the stage's time was up before the model answered".to_owned(),
            );
        }
        let all = self.messages(turns);
        let new_messages = match turns.last() {
            None => all.clone(),
            Some(last) if last.answer().is_some() => all.last().cloned().into_iter().collect(),
            Some(_) => Vec::new(),
        };
        let refused = turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.is_too_long())
            .map(|(at, _)| budget::total(&self.messages(&turns[..at])));
        let refused: Vec<usize> = refused.collect();
        // Those of the agent's other questions had other sizes.
        let own = u32::try_from(refused.len()).unwrap_or(u32::MAX);
        let others = halvings(transcript).saturating_sub(own);
        let allowance = budget::allowance(context.profile, &[], others);
        let allowance = budget::after_refusals(allowance, refused);
        let (messages, _) = budget::fit(all, allowance);
        Checked::Next(Action::AskModel(Box::new(Question {
            recorded: begun.map(|intent| intent.interaction_id),
            sequence: begun.map_or_else(|| transcript.next_sequence(), |intent| intent.sequence),
            iteration: self.iteration,
            purpose: self.purpose,
            messages,
            new_messages,
            tools: Vec::new(),
            forbid_tools: false,
            is_data: self.is_data,
            response_schema: None,
            stops_at_observation: false,
            form_change: None,
            timeout: context.brief.limits.llm_call_timeout.min(context.remaining),
            step_description: match answers(turns).count() {
                0 => self.step_description.to_owned(),
                n => format!("Correction {n}: ask model"),
            },
        })))
    }

    fn after_failure(
        &self,
        result: &LlmResult,
        turns: &[Turn<'_>],
        transcript: &Transcript,
        context: &DecisionContext<'_>,
    ) -> Checked<T> {
        if may_ask_again(result, transcript, context) || context.remaining.is_zero() {
            // Without time left the question says that the stage's time is up.
            return self.ask(turns, transcript, context, None);
        }
        let (class, why) = no_answer(result);
        Checked::Failed(class, why)
    }
}

fn answers<'a>(turns: &'a [Turn<'_>]) -> impl Iterator<Item = &'a LlmResult> {
    turns.iter().filter_map(Turn::answer)
}
