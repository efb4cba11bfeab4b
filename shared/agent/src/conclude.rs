//! Ends a stage execution with its output, usage and cost.

use serde_json::json;
use tarsy_model::{Cost, CostCompleteness, IterationStrategy, LlmResult, TokenUsage};

use crate::action::Action;
use crate::decision_context::DecisionContext;
use crate::json_form::{self, Step};
use crate::limit::LimitReached;
use crate::paging;
use crate::prompt::is_report;
use crate::react::{Reply, parse_reply};
use crate::repetition::without_repeated_end;
use crate::report_titles::with_headings;
use crate::series;
use crate::transcript::{Transcript, is_data_point};
use crate::{FailureClass, StageOutcome};

/// Most collected data that is handed on to later stages, in bytes.
const MAX_COLLECTED: usize = 120_000;

impl DecisionContext<'_> {
    /// Ends the stage with this conclusion.
    pub(crate) fn complete(&self, text: &str, limit: Option<LimitReached>) -> Action {
        let mut text = without_repeated_end(text);
        if is_report(self.brief) {
            text = with_headings(&text);
        }
        let (result, analysis) = match self.brief.strategy {
            IterationStrategy::ReactTools => {
                let closing = match text.trim() {
                    "" => String::new(),
                    text => format!("{text}\n\n"),
                };
                (format!("{closing}{}", self.collected()), None)
            }
            IterationStrategy::ReactToolsPartial => {
                (format!("{text}\n\n{}", self.collected()), Some(text))
            }
            _ => (text.clone(), Some(text)),
        };
        let (usage, cost) = spent(self.transcript);
        let calls = self.transcript.calls();
        let strategy = match self.brief.code {
            Some(_) => "code",
            None => self.brief.strategy.as_str(),
        };
        Action::Finish(StageOutcome::Completed {
            output: json!({
                "result": result, "status": "completed", "agent": self.brief.agent, "strategy": strategy,
                "iterations": self.transcript.answered_iterations(), "tool_calls": calls.clone().count(),
                "data_points": calls.filter(|call| is_data_point(call)).count(),
                "limit_reached": limit, "usage": usage, "cost": cost,
            }),
            analysis,
        })
    }

    /// Returns all data points as Markdown for the next stages. Each one is cut to one page.
    fn collected(&self) -> String {
        let page_bytes = self.page_bytes();
        let mut text = String::from("## Collected Data\n");
        for call in self.transcript.calls().filter(|call| is_data_point(call)) {
            let intent = &call.intent;
            let arguments = intent.tool_arguments.clone().unwrap_or_default();
            let body = call.result.as_ref().map(paging::text_of);
            let body = body.unwrap_or_default();
            let body = series::shaped(&body, None, page_bytes).unwrap_or(body);
            let page = tarsy_mcp::page(&body, 1, page_bytes);
            let (shown, more) = page.map_or(("", false), |page| (page.text, page.of > 1));
            if text.len() + shown.len() > MAX_COLLECTED {
                text.push_str("\n[further data left out]\n");
                break;
            }
            let more = if more { "\n[cut here]" } else { "" };
            text.push_str(&format!(
                "\n### {} {arguments}\n\n{}{more}\n",
                intent.step_description,
                shown.trim_end()
            ));
        }
        text
    }
}

/// Returns why a failed model call ends the stage.
pub(crate) fn no_answer(result: &LlmResult) -> (FailureClass, String) {
    let class = result.error_class.as_deref().unwrap_or("unknown");
    let message = result.error_message.as_deref();
    let message = message.unwrap_or("no reason was given");
    let why = format!("the model gave no answer: {message}");
    (FailureClass::Llm(class.to_owned()), why)
}

/// Extracts the conclusion from the last answer of a stage; `None` if the answer is not a conclusion.
pub(crate) fn conclusion(answer: &str, may_be_unformatted_call: bool) -> Option<String> {
    if let Some(Step::Conclude(answer)) = json_form::read(answer) {
        return Some(answer);
    }
    if let Some(thought) = json_form::cut_member(answer, "thought") {
        return Some(thought);
    }
    let text = match parse_reply(answer) {
        Reply::Final { answer, .. } => answer,
        Reply::Act { .. } if !may_be_unformatted_call => return None,
        _ => {
            let text = answer.trim();
            let text = text.strip_prefix("Thought:").unwrap_or(text);
            text.trim().to_owned()
        }
    };
    (!text.is_empty()).then_some(text)
}

/// Returns the tokens and the estimated dollars of the stage's model calls.
pub(crate) fn spent(transcript: &Transcript) -> (TokenUsage, Cost) {
    let mut usage = TokenUsage::default();
    let (mut usd, mut calls, mut priced) = (0.0, 0_u32, 0_u32);
    for result in transcript.llms().filter_map(|llm| llm.result.as_ref()) {
        usage += result.usage.unwrap_or_default();
        calls += u32::from(result.success);
        usd += result.cost_usd.unwrap_or_default();
        priced += u32::from(result.cost_usd.is_some());
    }
    let completeness = match priced {
        0 => CostCompleteness::None,
        n if n >= calls => CostCompleteness::Complete,
        _ => CostCompleteness::Partial,
    };
    (usage, Cost { usd, completeness })
}
