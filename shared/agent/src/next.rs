//! Decides the next action of a stage execution.

use tarsy_model::{IterationStrategy, LlmPurpose, LlmResult, RecordedMcp};

use crate::FailureClass;
use crate::action::{Action, Listing};
use crate::conclude::{conclusion, no_answer};
use crate::decision_context::DecisionContext;
use crate::limit::LimitReached;
use crate::parsed_reply::ParsedReply;
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::transcript::{Turn, is_data_point, listed};

impl DecisionContext<'_> {
    /// Decides the next action up to the conclusion.
    pub(crate) fn investigate(&self) -> Action {
        if self.brief.strategy.uses_tools()
            && let Some(first) = self.tools_first()
        {
            return first;
        }
        let turns = self.transcript.turns();
        let Some(last) = turns.last() else {
            return match self.brief.strategy {
                IterationStrategy::ReactFinalAnalysis => self.ask(LlmPurpose::FinalAnalysis, None),
                _ => self.iterate(),
            };
        };
        let purpose = last.llm.intent.purpose;
        match &last.llm.result {
            None => self.ask(purpose, Some(&last.llm.intent)),
            Some(result) if !result.success => self.after_failure(result, purpose),
            Some(result) if purpose == LlmPurpose::Iteration => self.after_answer(last, result),
            Some(result) => self.concluded(result, purpose),
        }
    }

    pub(crate) fn tools_first(&self) -> Option<Action> {
        let mut sequence = self.transcript.next_sequence();
        let is_asked = !self.transcript.turns().is_empty();
        let mut missing = Vec::new();
        for server in self.servers {
            let (recorded, position) = match self.transcript.listing(server) {
                // After the first question, the stage keeps the tools that the model was shown.
                None if is_asked => continue,
                None => {
                    sequence += 1;
                    (None, sequence - 1)
                }
                Some(listing) if is_listed(listing) => continue,
                Some(listing) => (Some(listing.intent.interaction_id), listing.intent.sequence),
            };
            missing.push(Listing {
                server: server.clone(),
                recorded,
                sequence: position,
            });
        }
        if !missing.is_empty() {
            return Some(Action::ListTools(missing));
        }
        let unreachable = self.transcript.unreachable(self.servers);
        (!self.servers.is_empty() && unreachable.len() == self.servers.len()).then(|| {
            let reasons = unreachable
                .iter()
                .map(|(server, why)| format!("{server}: {why}"));
            let reasons = reasons.collect::<Vec<_>>().join("; ");
            let why = format!("none of the agent's MCP servers could be reached ({reasons})");
            Action::fail(FailureClass::ToolsUnavailable, why)
        })
    }

    fn after_failure(&self, result: &LlmResult, purpose: LlmPurpose) -> Action {
        let is_timeout = result.error_class.as_deref() == Some("timeout");
        // The call was cut short to leave time for the conclusion.
        if is_timeout && purpose == LlmPurpose::Iteration && self.is_time_up() {
            return self.iterate();
        }
        // The provider rejected the question in this form, and there is another form.
        let has_other_form = ReplyForms::new(self).changed_from().is_some();
        if (has_other_form || self.may_ask_again(result)) && !self.remaining.is_zero() {
            return self.ask(purpose, None);
        }
        if is_timeout && self.remaining.is_zero() {
            let why = "the stage's time was up before the model answered";
            return Action::fail(FailureClass::Deadline, why);
        }
        let (class, why) = no_answer(result);
        Action::fail(class, why)
    }

    fn after_answer(&self, turn: &Turn<'_>, answer: &LlmResult) -> Action {
        let forms = ReplyForms::new(self);
        match forms.parse_newest(turn, answer) {
            ParsedReply::Conclusion(text) => self.complete(&text, None),
            // No time is left to call a tool.
            ParsedReply::TooEarly(text) if self.is_time_up() => self.complete(&text, None),
            ParsedReply::Correction(_) | ParsedReply::TooEarly(_) => self.iterate(),
            ParsedReply::ToolCalls { planned, .. } => {
                let open = self.open_calls(planned, &turn.calls);
                match self.with_secrets(open, turn, answer, &forms) {
                    open if open.is_empty() => self.iterate(),
                    open => self.make_calls(open, Some(answer)),
                }
            }
        }
    }

    fn concluded(&self, result: &LlmResult, purpose: LlmPurpose) -> Action {
        let text = result.response_text.as_deref().unwrap_or_default();
        let form = ReplyForms::new(self).newest();
        let free = purpose == LlmPurpose::FinalAnalysis || form == ReplyForm::Native;
        let limit = (purpose == LlmPurpose::ForcedConclusion)
            .then(|| self.countable_limit().unwrap_or(LimitReached::Time));
        match conclusion(text, free) {
            Some(text) => self.complete(&text, limit),
            None => {
                let at = limit.map(|limit| format!(" at the limit of {limit}"));
                let why = format!("the model did not conclude{}", at.unwrap_or_default());
                Action::fail(FailureClass::NoConclusion, why)
            }
        }
    }

    /// Begins the next iteration, or ends the iterations if a limit is reached.
    fn iterate(&self) -> Action {
        let Some(limit) = self.limit() else {
            return self.ask(LlmPurpose::Iteration, None);
        };
        if self.brief.strategy != IterationStrategy::ReactTools {
            return self.ask(LlmPurpose::ForcedConclusion, None);
        }
        if self.transcript.calls().any(is_data_point) {
            return self.complete("", Some(limit));
        }
        let why = format!("no data was collected within the limit of {limit}");
        Action::fail(FailureClass::NoConclusion, why)
    }
}

fn is_listed(listing: &RecordedMcp) -> bool {
    listing.result.as_ref().is_some_and(|r| !r.success) || listed(listing).is_some()
}
