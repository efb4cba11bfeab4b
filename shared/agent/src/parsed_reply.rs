//! A model's answer, parsed: tool calls, a correction, or the conclusion.

use serde_json::{Map, Value};
use tarsy_llm::NativeToolCall;
use tarsy_mcp::ToolInfo;
use tarsy_model::LlmResult;

use crate::decision_context::DecisionContext;
use crate::fence::ends_in_mark;
use crate::json_form::{self, Step};
use crate::paging::OWN_SERVER;
use crate::plan::{self, PlannedCall};
use crate::react::{BadInput, Problem, Reply, correction, parse_input, parse_reply};
use crate::reply_form::ReplyForm;
use crate::report_titles;
use crate::transcript::{Transcript, Turn, is_data_point};

/// Most text next to a call that is written as text, in bytes: a thought, not a report.
const MOST_BESIDE_A_CALL: usize = 1_000;

/// What a model is told whose conclusion was stopped at a mark.
const QUOTES_A_MARK: &str = "Your conclusion ends where it quotes a mark of untrusted data. Write it again, and quote results without their marks.";

/// The parsed answer of one iteration.
#[derive(Debug)]
pub(crate) enum ParsedReply {
    /// Tool calls, in order. Calls beyond the limit are only in `over_limit`.
    ToolCalls {
        planned: Vec<PlannedCall>,
        note: Option<String>,
        over_limit: Vec<NativeToolCall>,
    },
    Conclusion(String),
    /// A conclusion before anything was looked at; the model is told so, once.
    TooEarly(String),
    /// An answer that can't be acted on; the text tells the model why.
    Correction(String),
}

/// Parses an answer in this form. Depends only on the brief and the transcript up to it.
pub(crate) fn parse_answer(
    turn: &Turn<'_>,
    answer: &LlmResult,
    form: ReplyForm,
    offers: &[ToolInfo],
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> ParsedReply {
    match form {
        ReplyForm::Native => native(turn, answer, transcript, context, offers),
        ReplyForm::Text => text(turn, answer, transcript, context, offers),
        ReplyForm::Json => step(turn, answer, transcript, context, offers),
    }
}

/// A step in JSON. What is none is read as text: a fallback may not enforce the schema.
fn step(
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    offers: &[ToolInfo],
) -> ParsedReply {
    match json_form::read(answer.response_text.as_deref().unwrap_or_default()) {
        None => match text(turn, answer, transcript, context, offers) {
            ParsedReply::Correction(_) => {
                ParsedReply::Correction(format!("{}\n\n{}", json_form::NOT_A_STEP, json_form::HOW))
            }
            read => read,
        },
        Some(Step::Conclude(answer)) => ParsedReply::Conclusion(answer),
        Some(Step::Call { action, input }) => {
            let mut planner = plan::Planner::new(turn, transcript, context, offers);
            let schema = planner
                .tool(&action)
                .map_or(&Value::Null, |tool| &tool.input_schema);
            let input = match json_form::arguments(input, schema) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            match parse_input(&input, schema) {
                Ok(arguments) => planner.add(&action, arguments, None),
                Err(bad) => {
                    return ParsedReply::Correction(format!(
                        "{bad}. Write the parameters as one JSON object."
                    ));
                }
            }
            ParsedReply::ToolCalls {
                planned: planner.planned,
                note: None,
                over_limit: Vec::new(),
            }
        }
    }
}

fn text(
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    offers: &[ToolInfo],
) -> ParsedReply {
    match parse_reply(answer.response_text.as_deref().unwrap_or_default()) {
        // Stopped within the report: what follows the mark is lost.
        Reply::Final { answer, .. } if ends_in_mark(&answer) => {
            ParsedReply::Correction(QUOTES_A_MARK.to_owned())
        }
        Reply::Final { answer, .. } => ParsedReply::Conclusion(answer),
        Reply::Malformed(problem) => match report(turn, answer, problem, transcript, offers) {
            Some(report) => ParsedReply::Conclusion(report),
            None => ParsedReply::Correction(correction(problem)),
        },
        Reply::Act {
            action,
            input,
            more,
            ..
        } => {
            let mut planner = plan::Planner::new(turn, transcript, context, offers);
            let tool = planner.tool(&action);
            let schema = tool.map_or(&Value::Null, |t| &t.input_schema);
            let arguments = match parse_input(input.as_deref().unwrap_or_default(), schema) {
                Ok(arguments) => arguments,
                Err(bad) => {
                    return ParsedReply::Correction(format!(
                        "{bad}. Write the parameters as one JSON object."
                    ));
                }
            };
            if input.is_none() && required(schema) {
                return ParsedReply::Correction(format!(
                    "`Action: {action}` came without an `Action Input:`, but this tool has required parameters."
                ));
            }
            planner.add(&action, arguments, None);
            let note = more.then(|| {
                "Your reply held several actions. Only the first one was made; later ones must wait for its \
                 observation."
                    .to_owned()
            });
            ParsedReply::ToolCalls {
                planned: planner.planned,
                note,
                over_limit: Vec::new(),
            }
        }
    }
}

/// A report in sections that is not marked as the final answer, where there is evidence for one: a call has succeeded, or there
/// are no tools.
fn report(
    turn: &Turn<'_>,
    answer: &LlmResult,
    problem: Problem,
    transcript: &Transcript,
    offers: &[ToolInfo],
) -> Option<String> {
    let (Problem::NoSections | Problem::ThoughtOnly) = problem else {
        return None;
    };
    let has_tools = offers.iter().any(|offer| offer.server != OWN_SERVER);
    let mut calls = transcript.calls_before(turn.llm.intent.sequence);
    if has_tools && !calls.any(is_data_point) {
        return None;
    }
    let text = answer.response_text.as_deref()?.trim();
    let text = match text.strip_prefix("Thought:") {
        Some(rest) => {
            let (_, after) = rest.split_once('\n')?;
            match report_titles::is_report(after) {
                true => after,
                false => rest,
            }
        }
        None => text,
    };
    report_titles::is_report(text).then(|| text.trim().to_owned())
}

fn native(
    turn: &Turn<'_>,
    answer: &LlmResult,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    offers: &[ToolInfo],
) -> ParsedReply {
    let calls = native_calls(answer);
    let mut planner = plan::Planner::new(turn, transcript, context, offers);
    if calls.is_empty() {
        let text = answer.response_text.as_deref().unwrap_or_default().trim();
        if text.is_empty() {
            let empty = "Your reply was empty. Call a tool or reply with your conclusion.";
            return ParsedReply::Correction(empty.to_owned());
        }
        return match written_call(text, &planner) {
            None => ParsedReply::Conclusion(text.to_owned()),
            Some((_, Err(bad))) => {
                ParsedReply::Correction(format!("{bad}. Write the parameters as one JSON object."))
            }
            Some((name, Ok(arguments))) => {
                planner.add(&name, arguments, None);
                ParsedReply::ToolCalls {
                    planned: planner.planned,
                    note: None,
                    over_limit: Vec::new(),
                }
            }
        };
    }
    let mut over_limit = Vec::new();
    for call in calls {
        if planner.is_full() {
            over_limit.push(call);
            continue;
        }
        let arguments = match &call.arguments {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| call.arguments.clone())
            }
            other => other.clone(),
        };
        planner.add(&call.name, arguments, Some(call.id.clone()));
    }
    ParsedReply::ToolCalls {
        planned: planner.planned,
        note: None,
        over_limit,
    }
}

/// The call that a reply writes as text in place of a native one, as small models do: a tool that was offered, with its arguments.
/// A report that quotes a call is none.
fn written_call(
    text: &str,
    planner: &plan::Planner<'_>,
) -> Option<(String, Result<Value, BadInput>)> {
    let Reply::Act { action, input, .. } = parse_reply(text) else {
        return None;
    };
    let tool = planner.tool(&action)?;
    let input = input.unwrap_or_default();
    let beside = text.len().saturating_sub(action.len() + input.len());
    if beside > MOST_BESIDE_A_CALL || text.lines().any(|line| line.starts_with('#')) {
        return None;
    }
    let arguments = parse_input(&input, &tool.input_schema);
    Some((action, arguments))
}

/// The native tool calls of a recorded answer. Keys are in order, as they come back from the database in
/// another one than they went.
pub(crate) fn native_calls(answer: &LlmResult) -> Vec<NativeToolCall> {
    let mut calls: Vec<NativeToolCall> = answer
        .tool_calls
        .as_ref()
        .and_then(|v| serde_json::from_value(v.clone()).ok())
        .unwrap_or_default();
    for call in &mut calls {
        call.arguments.sort_all_objects();
    }
    calls
}

fn required(schema: &Value) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|r| !r.is_empty())
}
