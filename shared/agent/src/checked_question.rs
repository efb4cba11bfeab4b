//! A question to a model whose answer is checked. A wrong answer is sent back to the model with the reason.

use tarsy_llm::ChatMessage;
use tarsy_model::{LlmIntent, LlmPurpose, LlmResult};

use crate::action::{Action, Question};
use crate::conclude::no_answer;
use crate::decision_context::DecisionContext;
use crate::transcript::Turn;
use crate::{FailureClass, budget};

/// How often a wrong answer is sent back at most.
const MAX_CORRECTIONS: usize = 2;

/// Characters of a wrong answer that the model is shown again.
const SHOWN_AGAIN: usize = 16_000;

/// A question with a checked answer.
pub(crate) struct CheckedQuestion<'a, T> {
    pub(crate) system: &'a str,
    pub(crate) prompt: String,
    /// Parses an answer; the number is how many corrections came before it. The error text is sent to the model.
    pub(crate) read: &'a dyn Fn(&str, usize) -> Result<T, String>,
    pub(crate) purpose: LlmPurpose,
    /// Whether the answer is data, not text for people.
    pub(crate) is_data: bool,
    /// Iteration that is recorded with its model calls.
    pub(crate) iteration: i32,
    pub(crate) step_description: &'a str,
}

/// State of a checked question.
pub(crate) enum Checked<T> {
    Next(Action),
    /// The question has a valid answer.
    Answered(T),
    /// The question has no valid answer and is not asked again.
    Failed(FailureClass, String),
}

impl<T> CheckedQuestion<'_, T> {
    /// Decides the next step from the recorded model calls of this purpose.
    pub(crate) fn decide(&self, context: &DecisionContext<'_>) -> Checked<T> {
        let mut turns = context.transcript.turns();
        turns.retain(|turn| turn.llm.intent.purpose == self.purpose);
        let Some(last) = turns.last() else {
            return self.ask(&turns, context, None);
        };
        let begun = match &last.llm.result {
            None => Some(&last.llm.intent),
            // If no time is left, `ask` reports that the stage's time is up.
            Some(result) if !result.success => {
                if !context.may_ask_again(result) && !context.remaining.is_zero() {
                    let (class, why) = no_answer(result);
                    return Checked::Failed(class, why);
                }
                None
            }
            Some(result) => {
                let corrections = answers(&turns).count().saturating_sub(1);
                match self.read(result, corrections) {
                    Ok(answer) => return Checked::Answered(answer),
                    Err(why) if corrections >= MAX_CORRECTIONS => {
                        let why = format!(
                            "the model's answer does not match after {MAX_CORRECTIONS} corrections: {why}"
                        );
                        return Checked::Failed(FailureClass::InvalidOutput, why);
                    }
                    Err(_) => None,
                }
            }
        };
        self.ask(&turns, context, begun)
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
                let said = answer.response_text.as_deref().unwrap_or_default();
                let said: String = match said.trim() {
                    "" => "(empty)".to_owned(),
                    said => said.chars().take(SHOWN_AGAIN).collect(),
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
        context: &DecisionContext<'_>,
        begun: Option<&LlmIntent>,
    ) -> Checked<T> {
        if context.remaining.is_zero() {
            let why = "the stage's time was up before the model answered";
            return Checked::Failed(FailureClass::Deadline, why.to_owned());
        }
        let all = self.messages(turns);
        let new_messages = match turns.last() {
            None => all.clone(),
            Some(last) if last.answer().is_some() => all.last().cloned().into_iter().collect(),
            Some(_) => Vec::new(),
        };
        let refused = (0..turns.len()).filter(|at| turns[*at].is_too_long());
        let refused = refused.map(|at| budget::total(&self.messages(&turns[..at])));
        let (messages, _) = context.fit(all, &[], refused.collect());
        Checked::Next(Action::AskModel(Box::new(Question {
            iteration: self.iteration,
            messages,
            new_messages,
            is_data: self.is_data,
            step_description: match answers(turns).count() {
                0 => self.step_description.to_owned(),
                n => format!("Correction {n}: ask model"),
            },
            ..context.question(self.purpose, begun)
        })))
    }
}

fn answers<'a>(turns: &'a [Turn<'_>]) -> impl Iterator<Item = &'a LlmResult> {
    turns.iter().filter_map(Turn::answer)
}
