//! Questions to the model: messages, tools and time.

use std::time::Duration;

use serde_json::Value;
use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{InteractionId, LlmIntent, LlmPurpose, LlmResult, RecordedMcp};

use crate::conclude::failed;
use crate::conversation::{conversation, refused_sizes};
use crate::decision_context::DecisionContext;
use crate::next::Action;
use crate::outage::{is_outage, outage_pause};
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::tool_catalog::{self, ToolCatalog};
use crate::transcript::{Transcript, is_data_point};
use crate::{FailureClass, budget, json_form, own_tools, paging};

/// One question to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The intent's row when it is already there.
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
    /// Iteration, from 1.
    pub iteration: i32,
    /// Why the model is asked.
    pub purpose: LlmPurpose,
    /// The whole conversation, cut to the model's window.
    pub messages: Vec<ChatMessage>,
    /// Messages that no earlier question had; recorded in full.
    pub new_messages: Vec<ChatMessage>,
    /// Tools to offer natively; empty for text strategies.
    pub tools: Vec<ToolInfo>,
    /// Whether the model may only answer in text.
    pub forbid_tools: bool,
    /// Whether the answer is data, not text for people.
    pub is_data: bool,
    /// JSON Schema that the provider holds the answer to.
    pub response_schema: Option<Value>,
    /// Whether the answer ends where the model begins to write an observation.
    pub stops_at_observation: bool,
    /// The form of the replies before and from this question on, if it changes here.
    pub form_change: Option<(ReplyForm, ReplyForm)>,
    /// Longest time for the call.
    pub timeout: Duration,
    /// Shown to people.
    pub step_description: String,
}

/// How often a conversation that the provider finds too long is halved.
const MAX_HALVINGS: u32 = 2;

/// How often the provider has found the conversation too long so far.
pub(crate) fn halvings(transcript: &Transcript) -> u32 {
    let turns = transcript.turns();
    let refused = turns.iter().filter(|turn| turn.is_too_long());
    u32::try_from(refused.count()).unwrap_or(u32::MAX)
}

/// Whether a question that failed so may be asked again: the stage was snoozed for it, or its worker died before it could be,
/// or the conversation is halved.
pub(crate) fn may_ask_again(
    failed: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> bool {
    match failed.error_class.as_deref().unwrap_or_default() {
        "rate_limited" | "overloaded" => true,
        "context_length" => halvings(transcript) <= MAX_HALVINGS,
        class if is_outage(class) => {
            outage_pause(transcript, context.brief.limits.outage_wait).is_some()
        }
        _ => false,
    }
}

/// A question that was not begun before.
pub(crate) fn ask(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    purpose: LlmPurpose,
) -> Action {
    question(transcript, context, purpose, None)
}

/// A question that was begun and has no answer: the same row is completed.
pub(crate) fn again(
    intent: &LlmIntent,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    question(transcript, context, intent.purpose, Some(intent))
}

fn question(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    purpose: LlmPurpose,
    begun: Option<&LlmIntent>,
) -> Action {
    let iteration = begun.map_or_else(|| transcript.next_iteration(), |begun| begun.iteration);
    if context.remaining.is_zero() {
        return Action::Finish(failed(
            FailureClass::Deadline,
            format!("the stage timed out before it could conclude (iteration {iteration})"),
        ));
    }
    let forms = ReplyForms::new(transcript, context);
    let form = forms.next();
    let native = forms.offers_natively();
    let tools = if native {
        native_tools(transcript, context)
    } else {
        Vec::new()
    };
    // A final analysis without tools is text in any form.
    let is_step = purpose != LlmPurpose::FinalAnalysis;
    let response_schema =
        (is_step && form == ReplyForm::Json).then(|| step_schema(transcript, context, purpose));
    let talk = conversation(transcript, context, purpose);
    let allowance = budget::allowance(context.profile, &tools, 0);
    let allowance = budget::after_refusals(allowance, refused_sizes(transcript, context));
    let (messages, shortened) = budget::fit(talk.all, allowance);
    let other_form = (form != ReplyForm::usual(context.brief.strategy)).then_some(form);
    let kept_back = if purpose == LlmPurpose::Iteration {
        context.reserve
    } else {
        Duration::ZERO
    };
    // A begun iteration is asked again even when only the conclusion's time is left.
    let time = match context.remaining.saturating_sub(kept_back) {
        Duration::ZERO => context.remaining,
        time => time,
    };
    Action::AskModel(Box::new(Question {
        recorded: begun.map(|begun| begun.interaction_id),
        sequence: begun.map_or_else(|| transcript.next_sequence(), |begun| begun.sequence),
        iteration,
        purpose,
        messages,
        new_messages: talk.new,
        tools,
        forbid_tools: native && (form != ReplyForm::Native || purpose != LlmPurpose::Iteration),
        is_data: response_schema.is_some(),
        response_schema,
        stops_at_observation: is_step && form == ReplyForm::Text,
        form_change: forms.changed_from().map(|from| (from, form)),
        timeout: context.brief.limits.llm_call_timeout.min(time),
        step_description: describe(purpose, iteration, shortened, other_form),
    }))
}

fn native_tools(transcript: &Transcript, context: &DecisionContext<'_>) -> Vec<ToolInfo> {
    // The same list in every question: providers cache what a request begins with, and that is the tools. What is loaded
    // comes behind it.
    let offers = transcript.offers(context.servers);
    let limits = &context.brief.limits;
    match ToolCatalog::new(&offers, limits) {
        Some(catalog) => {
            let mut tools = vec![tool_catalog::offer()];
            tools.extend(own_tools::offers());
            tools.extend(catalog.loaded(transcript, i32::MAX));
            tools
        }
        None if offers.is_empty() => offers,
        None => own_tools::with_own(offers, limits),
    }
}

/// The schema of the next step. A conclusion is an alternative once there is evidence, or when it is due.
fn step_schema(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    purpose: LlmPurpose,
) -> Value {
    if purpose != LlmPurpose::Iteration {
        return json_form::schema(&[], true);
    }
    let mut tools = transcript.offers(context.servers);
    if let Some(catalog) = ToolCatalog::new(&tools, &context.brief.limits) {
        let loaded = catalog.loaded(transcript, i32::MAX);
        tools = [vec![tool_catalog::offer()], loaded].concat();
    }
    let has_evidence = transcript.calls_before(i32::MAX).any(is_data_point);
    if has_evidence {
        let has_long = own_tools::has_long_result(transcript, context.brief.limits.page_bytes());
        let own = own_tools::offers().into_iter();
        // Small models search what they have been shown whole.
        tools.extend(own.filter(|tool| has_long || tool.name == paging::READ_PAGE));
    }
    let turns = transcript.turns();
    // Not the question itself, which may be on record.
    let answered = turns.iter().rev().find(|turn| turn.answer().is_some());
    if let Some(newest) = answered.filter(|turn| transcript.only_repeats(turn)) {
        // Whoever repeats a call picks another tool now, or concludes.
        let is_repeated = |tool: &ToolInfo| {
            let mut calls = newest.calls.iter();
            calls.any(|call| is_call_of(call, tool))
        };
        tools.retain(|tool| !is_repeated(tool));
    }
    json_form::schema(&tools, has_evidence)
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
