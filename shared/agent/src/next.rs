//! The decision: what is next in a stage execution.

use std::time::Duration;

use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{
    InteractionId, IterationStrategy, LlmIntent, LlmPurpose, LlmResult, RecordedMcp,
};

use crate::conclude::{completed, conclusion, failed};
use crate::conversation::conversation;
use crate::limit::{LimitReached, limit_reached};
use crate::plan::{PlannedCall, forgotten_arguments, unknown_outcome};
use crate::situation::Situation;
use crate::transcript::{Transcript, Turn, is_data_point, listed};
use crate::want::{Want, want};
use crate::{FailureClass, StageOutcome, budget, paging};

/// What the shell is to do next.
#[derive(Clone, Debug)]
pub enum Action {
    /// Ask these servers for their tools.
    ListTools(Vec<Listing>),
    /// Ask the model.
    AskModel(Box<Question>),
    /// Make, or only record, these calls, in order.
    CallTools(Vec<PlannedCall>),
    /// The stage has ended.
    Finish(StageOutcome),
}

/// One server to be asked for its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Server id.
    pub server: String,
    /// The intent's row when it is already there.
    pub recorded: Option<InteractionId>,
    /// Position among all interactions.
    pub sequence: i32,
}

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
    /// Longest time for the call.
    pub timeout: Duration,
    /// Shown to people.
    pub step_description: String,
}

/// How often a conversation that the provider finds too long is halved.
const MAX_HALVINGS: u32 = 2;

/// Look at what has happened and say what is next.
///
/// Pure: the same transcript and situation give the same answer. The clock only decides
/// when the time for iterations is up.
#[must_use]
pub fn next_action(transcript: &Transcript, at: &Situation<'_>) -> Action {
    if at.brief.strategy.uses_tools()
        && let Some(first) = tools_first(transcript, at)
    {
        return first;
    }
    let turns = transcript.turns();
    let Some(last) = turns.last() else {
        return match at.brief.strategy {
            IterationStrategy::ReactFinalAnalysis => ask(transcript, at, LlmPurpose::FinalAnalysis),
            _ => iterate(transcript, at),
        };
    };
    let purpose = last.llm.intent.purpose;
    match &last.llm.result {
        None => again(&last.llm.intent, transcript, at),
        Some(result) if !result.success => after_failure(result, purpose, transcript, at),
        Some(result) => match purpose {
            LlmPurpose::Iteration => after_answer(last, result, transcript, at),
            LlmPurpose::ForcedConclusion | LlmPurpose::FinalAnalysis => {
                concluded(result, purpose, transcript, at)
            }
        },
    }
}

fn tools_first(transcript: &Transcript, at: &Situation<'_>) -> Option<Action> {
    let mut sequence = transcript.next_sequence();
    let mut missing = Vec::new();
    for server in at.servers {
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
    let unreachable = transcript.unreachable(at.servers);
    (!at.servers.is_empty() && unreachable.len() == at.servers.len()).then(|| {
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
    at: &Situation<'_>,
) -> Action {
    let class = result.error_class.as_deref().unwrap_or("unknown");
    let message = result
        .error_message
        .as_deref()
        .unwrap_or("no reason was given");
    let retry = match class {
        // The stage was snoozed for it, or its worker died before it could be.
        "rate_limited" | "overloaded" => true,
        "context_length" => halvings(transcript) <= MAX_HALVINGS,
        // The call was cut short to leave time for the conclusion.
        "timeout" if purpose == LlmPurpose::Iteration && at.is_time_up() => {
            return iterate(transcript, at);
        }
        _ => false,
    };
    if retry && !at.remaining.is_zero() {
        return ask(transcript, at, purpose);
    }
    if class == "timeout" && at.remaining.is_zero() {
        return Action::Finish(failed(
            FailureClass::Deadline,
            "the stage's time was up before the model answered",
        ));
    }
    Action::Finish(failed(
        FailureClass::Llm(class.to_owned()),
        format!("the model gave no answer: {message}"),
    ))
}

fn after_answer(
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    at: &Situation<'_>,
) -> Action {
    match want(turn, answer, transcript, at) {
        Want::Conclude(text) => Action::Finish(completed(&text, None, transcript, at)),
        Want::Correct(_) => iterate(transcript, at),
        Want::Calls { planned, .. } => {
            let open = open_calls(planned, &turn.calls);
            let open = with_secrets(open, turn, answer, transcript, at);
            if open.is_empty() {
                iterate(transcript, at)
            } else {
                Action::CallTools(open)
            }
        }
    }
}

/// Open calls with the arguments that the model gave. Where those are gone, the calls are
/// not made: a tool must not be sent the marks that stand for secrets.
fn with_secrets(
    mut open: Vec<PlannedCall>,
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    at: &Situation<'_>,
) -> Vec<PlannedCall> {
    if answer.masked_kinds.is_none() {
        return open;
    }
    let meant = match transcript.verbatim(turn) {
        Some(said) => match want(turn, said, transcript, at) {
            Want::Calls { planned, .. } => planned,
            Want::Conclude(_) | Want::Correct(_) => Vec::new(),
        },
        None => Vec::new(),
    };
    for call in open.iter_mut().filter(|call| call.answer.is_none()) {
        match meant.iter().find(|m| m.sequence == call.sequence) {
            Some(meant) => call.verbatim = Some(meant.arguments.clone()),
            None => call.answer = Some(forgotten_arguments()),
        }
    }
    open
}

/// The planned calls that have no result yet. One that was begun is repeated only if that
/// is harmless.
fn open_calls(planned: Vec<PlannedCall>, recorded: &[&RecordedMcp]) -> Vec<PlannedCall> {
    let open = planned.into_iter().filter_map(|mut call| {
        let Some(begun) = recorded.iter().find(|r| r.intent.sequence == call.sequence) else {
            return Some(call);
        };
        if begun.result.is_some() {
            return None;
        }
        call.recorded = Some(begun.intent.interaction_id);
        if call.answer.is_none() && !begun.intent.effect.is_repeatable() {
            call.answer = Some(unknown_outcome());
        }
        Some(call)
    });
    open.collect()
}

fn concluded(
    result: &LlmResult,
    purpose: LlmPurpose,
    transcript: &Transcript,
    at: &Situation<'_>,
) -> Action {
    let text = result.response_text.as_deref().unwrap_or_default();
    let free =
        purpose == LlmPurpose::FinalAnalysis || at.brief.strategy == IterationStrategy::Regular;
    let limit = (purpose == LlmPurpose::ForcedConclusion)
        .then(|| limit_reached(transcript, at).unwrap_or(LimitReached::Time));
    Action::Finish(match conclusion(text, free) {
        Some(text) => completed(&text, limit, transcript, at),
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
fn iterate(transcript: &Transcript, at: &Situation<'_>) -> Action {
    let limit =
        limit_reached(transcript, at).or_else(|| at.is_time_up().then_some(LimitReached::Time));
    let Some(limit) = limit else {
        return ask(transcript, at, LlmPurpose::Iteration);
    };
    if at.brief.strategy == IterationStrategy::ReactTools {
        let any = transcript.calls_before(i32::MAX).any(is_data_point);
        return Action::Finish(if any {
            completed("", Some(limit), transcript, at)
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
    ask(transcript, at, LlmPurpose::ForcedConclusion)
}

fn halvings(transcript: &Transcript) -> u32 {
    let too_long = |turn: &&Turn<'_>| {
        turn.llm
            .result
            .as_ref()
            .is_some_and(|r| r.error_class.as_deref() == Some("context_length"))
    };
    u32::try_from(transcript.turns().iter().filter(too_long).count()).unwrap_or(u32::MAX)
}

fn ask(transcript: &Transcript, at: &Situation<'_>, purpose: LlmPurpose) -> Action {
    let answered = transcript
        .turns()
        .iter()
        .filter(|t| t.is_answered_iteration())
        .count();
    let iteration = i32::try_from(answered + 1).unwrap_or(i32::MAX);
    question(
        transcript,
        at,
        purpose,
        iteration,
        transcript.next_sequence(),
        None,
    )
}

/// A question that was begun and has no answer: the same row is completed.
fn again(intent: &LlmIntent, transcript: &Transcript, at: &Situation<'_>) -> Action {
    question(
        transcript,
        at,
        intent.purpose,
        intent.iteration,
        intent.sequence,
        Some(intent.interaction_id),
    )
}

fn question(
    transcript: &Transcript,
    at: &Situation<'_>,
    purpose: LlmPurpose,
    iteration: i32,
    sequence: i32,
    recorded: Option<InteractionId>,
) -> Action {
    if at.remaining.is_zero() {
        return Action::Finish(failed(
            FailureClass::Deadline,
            format!("the stage's time was up before it could conclude (iteration {iteration})"),
        ));
    }
    let native = at.brief.strategy == IterationStrategy::Regular;
    let tools = if native {
        native_tools(transcript, at)
    } else {
        Vec::new()
    };
    let talk = conversation(transcript, at, purpose);
    let (messages, shortened) = budget::fit(
        talk.all,
        budget::allowance(at.profile, &tools, halvings(transcript)),
    );
    let kept_back = if purpose == LlmPurpose::Iteration {
        at.reserve
    } else {
        Duration::ZERO
    };
    // A begun iteration is asked again even when only the conclusion's time is left.
    let time = match at.remaining.saturating_sub(kept_back) {
        Duration::ZERO => at.remaining,
        time => time,
    };
    Action::AskModel(Box::new(Question {
        recorded,
        sequence,
        iteration,
        purpose,
        messages,
        new_messages: talk.new,
        tools,
        forbid_tools: native && purpose != LlmPurpose::Iteration,
        timeout: at.brief.limits.llm_call_timeout.min(time),
        step_description: describe(purpose, iteration, shortened),
    }))
}

fn native_tools(transcript: &Transcript, at: &Situation<'_>) -> Vec<ToolInfo> {
    let mut tools = transcript.offers(at.servers);
    let is_long = |call: &RecordedMcp| {
        let result = call.result.as_ref();
        result.is_some_and(|r| paging::is_long(&paging::text_of(r), at.brief.limits.page_chars))
    };
    if transcript.calls_before(i32::MAX).any(is_long) {
        tools.push(paging::offer());
    }
    tools
}

fn describe(purpose: LlmPurpose, iteration: i32, shortened: usize) -> String {
    let what = match purpose {
        LlmPurpose::Iteration => format!("Iteration {iteration}: ask model"),
        LlmPurpose::ForcedConclusion => "Limit reached: ask model to conclude".to_owned(),
        LlmPurpose::FinalAnalysis => "Final analysis: ask model".to_owned(),
    };
    if shortened == 0 {
        what
    } else {
        format!("{what} ({shortened} older messages shortened)")
    }
}
