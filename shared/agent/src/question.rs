//! Builds questions to the model: messages, tools and time.

use std::time::Duration;

use serde_json::Value;
use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{LlmIntent, LlmPurpose, LlmResult, RecordedMcp};

use crate::action::{Action, Question};
use crate::conversation::{conversation, refused_sizes};
use crate::decision_context::DecisionContext;
use crate::outage::{is_outage, outage_pause};
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::tool_catalog::{self, ToolCatalog};
use crate::transcript::is_data_point;
use crate::{FailureClass, budget, json_form, own_tools, paging};

/// How often a conversation that the provider rejects as too long is halved at most.
const MAX_HALVINGS: usize = 2;

impl DecisionContext<'_> {
    /// Returns how often the provider has rejected the conversation as too long so far.
    fn halvings(&self) -> usize {
        let turns = self.transcript.turns();
        turns.iter().filter(|turn| turn.is_too_long()).count()
    }

    /// Returns whether a question that failed in this way may be asked again. Either the stage was snoozed for it (or
    /// its worker died before that), or the conversation is halved.
    pub(crate) fn may_ask_again(&self, failed: &LlmResult) -> bool {
        match failed.error_class.as_deref().unwrap_or_default() {
            "rate_limited" | "overloaded" => true,
            "context_length" => self.halvings() <= MAX_HALVINGS,
            class if is_outage(class) => {
                outage_pause(self.transcript, self.brief.limits.outage_wait).is_some()
            }
            _ => false,
        }
    }

    /// Fits messages into the model's window. Returns them, and how many were shortened. `refused` are the sizes of
    /// earlier versions of this conversation that the provider rejected as too long. Rejections of the agent's other
    /// questions only halve the allowance, because their sizes differ.
    pub(crate) fn fit(
        &self,
        all: Vec<ChatMessage>,
        tools: &[ToolInfo],
        refused: Vec<usize>,
    ) -> (Vec<ChatMessage>, usize) {
        let others = self.halvings().saturating_sub(refused.len());
        let allowance = budget::allowance(self.profile, tools, others);
        budget::fit(all, budget::after_refusals(allowance, refused))
    }

    /// Creates a question without messages, whose answer is text. If a question was `begun` and has no answer, the
    /// new one uses the same row.
    pub(crate) fn question(&self, purpose: LlmPurpose, begun: Option<&LlmIntent>) -> Question {
        let (sequence, iteration) = match begun {
            Some(begun) => (begun.sequence, begun.iteration),
            None => (
                self.transcript.next_sequence(),
                self.transcript.next_iteration(),
            ),
        };
        Question {
            recorded: begun.map(|begun| begun.interaction_id),
            sequence,
            iteration,
            purpose,
            messages: Vec::new(),
            new_messages: Vec::new(),
            tools: Vec::new(),
            forbid_tools: false,
            is_data: false,
            response_schema: None,
            stops_at_observation: false,
            form_change: None,
            timeout: self.brief.limits.llm_call_timeout.min(self.remaining),
            step_description: String::new(),
        }
    }

    /// Asks the question of a conversation.
    pub(crate) fn ask(&self, purpose: LlmPurpose, begun: Option<&LlmIntent>) -> Action {
        let question = self.question(purpose, begun);
        let iteration = question.iteration;
        if self.remaining.is_zero() {
            let why =
                format!("the stage timed out before it could conclude (iteration {iteration})");
            return Action::fail(FailureClass::Deadline, why);
        }
        let forms = ReplyForms::new(self);
        let form = forms.next();
        let native = forms.offers_natively();
        let tools = if native {
            self.native_tools()
        } else {
            Vec::new()
        };
        // A final analysis without tools is text in any form.
        let is_step = purpose != LlmPurpose::FinalAnalysis;
        let response_schema =
            (is_step && form == ReplyForm::Json).then(|| self.step_schema(purpose));
        let (all, new_messages) = conversation(&forms, purpose);
        let (messages, shortened) = self.fit(all, &tools, refused_sizes(&forms));
        let other_form = (form != ReplyForm::usual(self.brief.strategy)).then_some(form);
        let time = match purpose {
            LlmPurpose::Iteration => self.remaining.saturating_sub(self.reserve),
            _ => self.remaining,
        };
        Action::AskModel(Box::new(Question {
            messages,
            new_messages,
            tools,
            forbid_tools: native && (form != ReplyForm::Native || purpose != LlmPurpose::Iteration),
            is_data: response_schema.is_some(),
            response_schema,
            stops_at_observation: is_step && form == ReplyForm::Text,
            form_change: forms.changed_from().map(|from| (from, form)),
            timeout: match time {
                // A begun iteration is asked again even if only the time for the conclusion is left.
                Duration::ZERO => question.timeout,
                time => question.timeout.min(time),
            },
            step_description: describe(purpose, iteration, shortened, other_form),
            ..question
        }))
    }

    fn native_tools(&self) -> Vec<ToolInfo> {
        // The list is the same in every question, because providers cache the beginning of a request, which is the
        // tools. Loaded tools come after it.
        let offers = self.offers();
        let limits = &self.brief.limits;
        match ToolCatalog::new(&offers, limits) {
            Some(catalog) => {
                let mut tools = vec![tool_catalog::offer()];
                tools.extend(own_tools::offers());
                tools.extend(catalog.loaded(self.transcript, i32::MAX));
                tools
            }
            None if offers.is_empty() => offers,
            None => own_tools::with_own(offers, limits),
        }
    }

    /// Returns the schema of the next step. A conclusion is an alternative once there is evidence, or when it is due.
    fn step_schema(&self, purpose: LlmPurpose) -> Value {
        if purpose != LlmPurpose::Iteration {
            return json_form::schema(&[], true);
        }
        let mut tools = self.offers();
        if let Some(catalog) = ToolCatalog::new(&tools, &self.brief.limits) {
            let loaded = catalog.loaded(self.transcript, i32::MAX);
            tools = [vec![tool_catalog::offer()], loaded].concat();
        }
        let has_evidence = self.transcript.calls().any(is_data_point);
        if has_evidence {
            let has_long = own_tools::has_long_result(self.transcript, self.page_bytes());
            let own = own_tools::offers().into_iter();
            // Without a long result the search tool is left out, because small models search results that they have
            // already seen in full.
            tools.extend(own.filter(|tool| has_long || tool.name == paging::READ_PAGE));
        }
        let turns = self.transcript.turns();
        // Skips the question itself, which may already be recorded.
        let answered = turns.iter().rev().find(|turn| turn.answer().is_some());
        if let Some(newest) = answered.filter(|turn| self.transcript.only_repeats(turn)) {
            // After a repeated call, the model must pick another tool or conclude.
            tools.retain(|tool| !newest.calls.iter().any(|call| is_call_of(call, tool)));
        }
        json_form::schema(&tools, has_evidence)
    }
}

fn is_call_of(call: &RecordedMcp, tool: &ToolInfo) -> bool {
    let called = &call.intent;
    called.server_name == tool.server && called.tool_name.as_deref() == Some(&tool.name)
}

fn describe(
    purpose: LlmPurpose,
    iteration: i32,
    shortened: usize,
    other_form: Option<ReplyForm>,
) -> String {
    let what = match purpose {
        LlmPurpose::Iteration => format!("Iteration {iteration}: ask model"),
        LlmPurpose::ForcedConclusion => "Limit reached: ask model to conclude".to_owned(),
        LlmPurpose::FinalAnalysis => "Final analysis: ask model".to_owned(),
        LlmPurpose::StructuredOutput => "Structured output: ask model".to_owned(),
        LlmPurpose::ResultSummary => "Summary: ask model".to_owned(),
    };
    let form = other_form.map(|form| format!("replies as {}", form.as_str()));
    let shortened = (shortened > 0).then(|| format!("{shortened} older messages shortened"));
    let notes: Vec<String> = form.into_iter().chain(shortened).collect();
    match notes.is_empty() {
        true => what,
        false => format!("{what} ({})", notes.join(", ")),
    }
}
