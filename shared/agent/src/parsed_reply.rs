//! A model's answer, parsed: tool calls, a correction, or the conclusion.

use serde_json::{Map, Value};
use tarsy_llm::NativeToolCall;
use tarsy_mcp::ToolInfo;
use tarsy_model::LlmResult;

use crate::decision_context::DecisionContext;
use crate::fence::ends_in_mark;
use crate::json_form::{self, Step};
use crate::paging::OWN_SERVER;
use crate::plan::{PlannedCall, Planner};
use crate::react::{BadInput, Problem, Reply, correction, parse_input, parse_reply};
use crate::reply_form::ReplyForm;
use crate::report_titles;
use crate::strict_schema::required;
use crate::transcript::{Turn, is_data_point};

/// Most text around a call that is written as text, in bytes. It is enough for a thought, but not for a report.
const MOST_BESIDE_A_CALL: usize = 1_000;

/// Correction for a conclusion that was stopped at a mark.
const QUOTES_A_MARK: &str = "Your conclusion ends where it quotes a mark of untrusted data. Write it again, and quote results without their marks.";

/// Note after a reply with several actions.
const ONLY_THE_FIRST: &str = "Your reply held several actions. Only the first one was made; later ones must wait for its observation.";

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
    /// A conclusion before any tool call succeeded. The model is asked once to call a tool first.
    TooEarly(String),
    /// An answer that can't be acted on. The text explains the reason to the model.
    Correction(String),
}

/// An answer, with the offered tools, the brief and the transcript that it is parsed with.
pub(crate) struct Parser<'a> {
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) answer: &'a LlmResult,
    pub(crate) offers: &'a [ToolInfo],
    pub(crate) context: &'a DecisionContext<'a>,
}

impl Parser<'_> {
    /// Parses the answer in this form.
    pub(crate) fn parse(&self, form: ReplyForm) -> ParsedReply {
        match form {
            ReplyForm::Native => self.native(),
            ReplyForm::Text => self.text(),
            ReplyForm::Json => self.step(),
        }
    }

    fn written(&self) -> &str {
        self.answer.response_text.as_deref().unwrap_or_default()
    }

    fn planner(&self) -> Planner<'_> {
        let asked = &self.turn.llm.intent;
        Planner::new(
            asked.sequence + 1,
            asked.iteration,
            self.context,
            self.offers,
        )
    }

    /// Parses a JSON step. A reply that is not a step is parsed as text, because a fallback may not enforce the
    /// schema.
    fn step(&self) -> ParsedReply {
        match json_form::read(self.written()) {
            None => match self.text() {
                ParsedReply::Correction(_) => {
                    let (wrong, how) = (json_form::NOT_A_STEP, json_form::HOW);
                    ParsedReply::Correction(format!("{wrong}\n\n{how}"))
                }
                read => read,
            },
            Some(Step::Conclude(answer)) => ParsedReply::Conclusion(answer),
            Some(Step::Call { action, input }) => {
                let planner = self.planner();
                let schema = schema(planner.tool(&action));
                let input = match json_form::arguments(input, schema) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                one_call(planner, &action, parse_input(&input, schema), None)
            }
        }
    }

    fn text(&self) -> ParsedReply {
        match parse_reply(self.written()) {
            // The reply was stopped within the report, so the text after the mark is lost.
            Reply::Final { answer, .. } if ends_in_mark(&answer) => {
                ParsedReply::Correction(QUOTES_A_MARK.to_owned())
            }
            Reply::Final { answer, .. } => ParsedReply::Conclusion(answer),
            Reply::Malformed(problem) => match self.report(problem) {
                Some(report) => ParsedReply::Conclusion(report),
                None => ParsedReply::Correction(correction(problem)),
            },
            Reply::Act {
                action,
                input,
                more,
                ..
            } => {
                let planner = self.planner();
                let schema = schema(planner.tool(&action));
                let arguments = parse_input(input.as_deref().unwrap_or_default(), schema);
                if arguments.is_ok() && input.is_none() && !required(schema).is_empty() {
                    return ParsedReply::Correction(format!(
                        "`Action: {action}` came without an `Action Input:`, but this tool has required parameters."
                    ));
                }
                one_call(planner, &action, arguments, more.then_some(ONLY_THE_FIRST))
            }
        }
    }

    /// Returns a report in sections that is not marked as the final answer. It counts only if there is evidence for
    /// it: a call has succeeded, or there are no tools.
    fn report(&self, problem: Problem) -> Option<String> {
        let (Problem::NoSections | Problem::ThoughtOnly) = problem else {
            return None;
        };
        let mut offers = self.offers.iter();
        let has_tools = offers.any(|offer| offer.server != OWN_SERVER);
        let at = self.turn.llm.intent.sequence;
        let mut calls = self.context.transcript.calls_before(at);
        if has_tools && !calls.any(is_data_point) {
            return None;
        }
        let text = self.written().trim();
        let texts = match text.strip_prefix("Thought:") {
            Some(rest) => [rest.split_once('\n')?.1, rest],
            None => [text; 2],
        };
        let mut texts = texts.into_iter();
        let report = texts.find(|text| report_titles::is_report(text))?;
        Some(report.trim().to_owned())
    }

    fn native(&self) -> ParsedReply {
        let calls = native_calls(self.answer);
        let mut planner = self.planner();
        if calls.is_empty() {
            let text = self.written().trim();
            if text.is_empty() {
                let empty = "Your reply was empty. Call a tool or reply with your conclusion.";
                return ParsedReply::Correction(empty.to_owned());
            }
            return match written_call(text, &planner) {
                None => ParsedReply::Conclusion(text.to_owned()),
                Some((name, arguments)) => one_call(planner, &name, arguments, None),
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
}

/// Returns the schema of a tool; null if the tool does not exist.
fn schema(tool: Option<&ToolInfo>) -> &Value {
    tool.map_or(&Value::Null, |tool| &tool.input_schema)
}

/// Returns a reply with one call, or a correction if its arguments can't be parsed.
fn one_call(
    mut planner: Planner<'_>,
    name: &str,
    arguments: Result<Value, BadInput>,
    note: Option<&str>,
) -> ParsedReply {
    match arguments {
        Ok(arguments) => {
            planner.add(name, arguments, None);
            ParsedReply::ToolCalls {
                planned: planner.planned,
                note: note.map(str::to_owned),
                over_limit: Vec::new(),
            }
        }
        Err(bad) => {
            ParsedReply::Correction(format!("{bad}. Write the parameters as one JSON object."))
        }
    }
}

/// Returns the call that a reply writes as text instead of a native one, as small models do. It must name a tool that
/// was offered. A report that quotes a call does not count.
fn written_call(text: &str, planner: &Planner<'_>) -> Option<(String, Result<Value, BadInput>)> {
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

/// Returns the native tool calls of a recorded answer. Keys are sorted, because the database returns them in another
/// order than they were written.
pub(crate) fn native_calls(answer: &LlmResult) -> Vec<NativeToolCall> {
    let calls = answer.tool_calls.clone().unwrap_or_default();
    let mut calls: Vec<NativeToolCall> = serde_json::from_value(calls).unwrap_or_default();
    for call in &mut calls {
        call.arguments.sort_all_objects();
    }
    calls
}
