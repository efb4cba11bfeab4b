//! How a stage execution ends: output, usage, cost.

use serde_json::{Value, json};
use tarsy_model::{
    Cost, CostCompleteness, IterationStrategy, LlmResult, RecordedInteraction, TokenUsage,
};

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

/// Collected data that is handed on at most, in bytes.
const MAX_COLLECTED: usize = 120_000;

/// The stage ends with this conclusion.
pub(crate) fn completed(
    text: &str,
    limit: Option<LimitReached>,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> StageOutcome {
    let text = &without_repeated_end(text);
    let text = &match is_report(context.brief) {
        true => with_headings(text),
        false => text.to_owned(),
    };
    let (result, analysis) = match context.brief.strategy {
        IterationStrategy::ReactTools => {
            let data = collected(transcript, context);
            let closing = if text.trim().is_empty() {
                String::new()
            } else {
                format!("{}\n\n", text.trim())
            };
            (format!("{closing}{data}"), None)
        }
        IterationStrategy::ReactToolsPartial => (
            format!("{text}\n\n{}", collected(transcript, context)),
            Some(text.to_owned()),
        ),
        _ => (text.to_owned(), Some(text.to_owned())),
    };
    StageOutcome::Completed {
        output: output(&result, limit, transcript, context),
        analysis,
    }
}

/// Why a model's failed call ends a stage.
pub(crate) fn no_answer(result: &LlmResult) -> (FailureClass, String) {
    let class = result.error_class.as_deref().unwrap_or("unknown");
    let message = result.error_message.as_deref();
    let message = message.unwrap_or("no reason was given");
    (
        FailureClass::Llm(class.to_owned()),
        format!("the model gave no answer: {message}"),
    )
}

pub(crate) fn failed(class: FailureClass, reason: impl Into<String>) -> StageOutcome {
    StageOutcome::Failed {
        reason: reason.into(),
        class,
    }
}

/// What the last answer of a stage concludes; `None` if it is no conclusion.
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
            text.strip_prefix("Thought:")
                .unwrap_or(text)
                .trim()
                .to_owned()
        }
    };
    (!text.is_empty()).then_some(text)
}

/// All data points as Markdown for the next stages, each as far as one page.
fn collected(transcript: &Transcript, context: &DecisionContext<'_>) -> String {
    let mut text = String::from("## Collected Data\n");
    for call in transcript
        .calls_before(i32::MAX)
        .filter(|c| is_data_point(c))
    {
        let intent = &call.intent;
        let arguments = intent.tool_arguments.clone().unwrap_or_default();
        let body = call
            .result
            .as_ref()
            .map(paging::text_of)
            .unwrap_or_default();
        let page_bytes = context.brief.limits.page_bytes();
        let body = series::shaped(&body, None, page_bytes).unwrap_or(body);
        let page = tarsy_mcp::page(&body, 1, page_bytes);
        let (shown, more) = page.map_or(("", false), |p| (p.text, p.of > 1));
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

fn output(
    result: &str,
    limit: Option<LimitReached>,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Value {
    let (usage, cost) = spent(transcript);
    let calls = || transcript.calls_before(i32::MAX);
    let strategy = match context.brief.code {
        Some(_) => "code",
        None => context.brief.strategy.as_str(),
    };
    json!({
        "result": result, "status": "completed", "agent": context.brief.agent, "strategy": strategy,
        "iterations": transcript.answered_iterations(), "tool_calls": calls().count(),
        "data_points": calls().filter(|call| is_data_point(call)).count(),
        "limit_reached": limit.map(LimitReached::as_str), "usage": usage, "cost": cost,
    })
}

/// Tokens and estimated dollars of the stage's model calls.
pub(crate) fn spent(transcript: &Transcript) -> (TokenUsage, Cost) {
    let (mut usage, mut usd, mut calls, mut priced) = (TokenUsage::default(), 0.0, 0_u32, 0_u32);
    for entry in transcript.entries() {
        let RecordedInteraction::Llm(llm) = entry else {
            continue;
        };
        let Some(result) = &llm.result else { continue };
        if let Some(used) = result.usage {
            usage += used;
        }
        if result.success {
            calls += 1;
        }
        if let Some(cost) = result.cost_usd {
            usd += cost;
            priced += 1;
        }
    }
    let completeness = match priced {
        0 => CostCompleteness::None,
        n if n >= calls => CostCompleteness::Complete,
        _ => CostCompleteness::Partial,
    };
    (usage, Cost { usd, completeness })
}
