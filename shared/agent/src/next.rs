//! Decides the next action of a stage execution.

use tarsy_model::{InteractionId, IterationStrategy, LlmPurpose, LlmResult, RecordedMcp};

use crate::approval::{Approved, with_approvals};
use crate::conclude::{completed, conclusion, failed, no_answer};
use crate::decision_context::DecisionContext;
use crate::limit::{LimitReached, limit_reached};
use crate::open_calls::{open_calls, with_secrets};
use crate::parsed_reply::ParsedReply;
use crate::plan::PlannedCall;
use crate::question::{Question, again, ask, may_ask_again};
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::transcript::{Transcript, Turn, is_data_point, listed};
use crate::{CallToApprove, FailureClass, StageOutcome};

/// What the driver does next.
#[derive(Clone, Debug)]
pub enum Action {
    /// List the tools of these servers.
    ListTools(Vec<Listing>),
    /// Ask the model.
    AskModel(Box<Question>),
    /// Make these calls in order; some are only recorded.
    CallTools(Vec<PlannedCall>),
    /// Wait until a person has decided about this call.
    Wait(Box<CallToApprove>),
    /// The stage has ended.
    Finish(StageOutcome),
}

/// One server whose tools must be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Server id.
    pub server: String,
    /// The intent's row when it is already there.
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
}

/// Decides the next action up to the conclusion.
pub(crate) fn investigate(transcript: &Transcript, context: &DecisionContext<'_>) -> Action {
    if context.brief.strategy.uses_tools()
        && let Some(first) = tools_first(transcript, context)
    {
        return first;
    }
    let turns = transcript.turns();
    let Some(last) = turns.last() else {
        return match context.brief.strategy {
            IterationStrategy::ReactFinalAnalysis => {
                ask(transcript, context, LlmPurpose::FinalAnalysis)
            }
            _ => iterate(transcript, context),
        };
    };
    let purpose = last.llm.intent.purpose;
    match &last.llm.result {
        None => again(&last.llm.intent, transcript, context),
        Some(result) if !result.success => after_failure(result, purpose, transcript, context),
        Some(result) => match purpose {
            LlmPurpose::Iteration => after_answer(last, result, transcript, context),
            LlmPurpose::ForcedConclusion
            | LlmPurpose::FinalAnalysis
            | LlmPurpose::StructuredOutput
            // No turn has this purpose.
            | LlmPurpose::ResultSummary => concluded(result, purpose, transcript, context),
        },
    }
}

pub(crate) fn tools_first(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Option<Action> {
    let mut sequence = transcript.next_sequence();
    let mut missing = Vec::new();
    for server in context.servers {
        let (recorded, position) = match transcript.listing(server) {
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
    // Once the model was asked, the tools it was shown are the stage's tools.
    if !transcript.turns().is_empty() {
        missing.retain(|listing| listing.recorded.is_some());
    }
    if !missing.is_empty() {
        return Some(Action::ListTools(missing));
    }
    let unreachable = transcript.unreachable(context.servers);
    (!context.servers.is_empty() && unreachable.len() == context.servers.len()).then(|| {
        let reasons: Vec<String> = unreachable
            .iter()
            .map(|(server, why)| format!("{server}: {why}"))
            .collect();
        Action::Finish(failed(
            FailureClass::ToolsUnavailable,
            format!(
                "none of the agent's MCP servers could be reached ({})",
                reasons.join("; ")
            ),
        ))
    })
}

fn is_listed(listing: &RecordedMcp) -> bool {
    listing.result.as_ref().is_some_and(|r| !r.success) || listed(listing).is_some()
}

fn after_failure(
    result: &LlmResult,
    purpose: LlmPurpose,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    let is_timeout = result.error_class.as_deref() == Some("timeout");
    // The call was cut short to leave time for the conclusion.
    if is_timeout && purpose == LlmPurpose::Iteration && context.is_time_up() {
        return iterate(transcript, context);
    }
    // The provider did not take the question in this form; there is another.
    let has_other_form = ReplyForms::new(transcript, context)
        .changed_from()
        .is_some();
    let may_ask = has_other_form || may_ask_again(result, transcript, context);
    if may_ask && !context.remaining.is_zero() {
        return ask(transcript, context, purpose);
    }
    if is_timeout && context.remaining.is_zero() {
        return Action::Finish(failed(
            FailureClass::Deadline,
            "the stage's time was up before the model answered",
        ));
    }
    let (class, why) = no_answer(result);
    Action::Finish(failed(class, why))
}

fn after_answer(
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    let forms = ReplyForms::new(transcript, context);
    match forms.parse_newest(turn, answer) {
        ParsedReply::Conclusion(text) => {
            Action::Finish(completed(&text, None, transcript, context))
        }
        // There is no time left to look at anything.
        ParsedReply::TooEarly(text) if context.is_time_up() => {
            Action::Finish(completed(&text, None, transcript, context))
        }
        ParsedReply::Correction(_) | ParsedReply::TooEarly(_) => iterate(transcript, context),
        ParsedReply::ToolCalls { planned, .. } => {
            let open = open_calls(planned, &turn.calls, transcript);
            let open = with_secrets(open, turn, answer, transcript, &forms);
            match with_approvals(open, answer, transcript, context) {
                Approved::Ask(call) => Action::Wait(Box::new(call)),
                Approved::Calls(open) if open.is_empty() => iterate(transcript, context),
                Approved::Calls(open) => Action::CallTools(open),
            }
        }
    }
}

fn concluded(
    result: &LlmResult,
    purpose: LlmPurpose,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    let text = result.response_text.as_deref().unwrap_or_default();
    let form = ReplyForms::new(transcript, context).newest();
    let free = purpose == LlmPurpose::FinalAnalysis || form == ReplyForm::Native;
    let limit = (purpose == LlmPurpose::ForcedConclusion)
        .then(|| limit_reached(transcript, context).unwrap_or(LimitReached::Time));
    Action::Finish(match conclusion(text, free) {
        Some(text) => completed(&text, limit, transcript, context),
        None => failed(
            FailureClass::NoConclusion,
            format!(
                "the model did not conclude{}",
                limit.map_or(String::new(), |l| format!(
                    " at the limit of {}",
                    l.as_str().replace('_', " ")
                ))
            ),
        ),
    })
}

/// The next iteration, or the end that a limit forces.
fn iterate(transcript: &Transcript, context: &DecisionContext<'_>) -> Action {
    let limit = limit_reached(transcript, context)
        .or_else(|| context.is_time_up().then_some(LimitReached::Time));
    let Some(limit) = limit else {
        return ask(transcript, context, LlmPurpose::Iteration);
    };
    if context.brief.strategy == IterationStrategy::ReactTools {
        let any = transcript.calls_before(i32::MAX).any(is_data_point);
        return Action::Finish(if any {
            completed("", Some(limit), transcript, context)
        } else {
            failed(
                FailureClass::NoConclusion,
                format!(
                    "no data was collected within the limit of {}",
                    limit.as_str().replace('_', " ")
                ),
            )
        });
    }
    ask(transcript, context, LlmPurpose::ForcedConclusion)
}
