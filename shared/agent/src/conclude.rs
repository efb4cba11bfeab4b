//! How a stage execution ends: output, usage, cost.

use serde_json::{Map, Value, json};
use tarsy_model::{Cost, CostCompleteness, IterationStrategy, RecordedInteraction, TokenUsage};

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
    let turns = transcript.turns();
    let (usage, cost) = spent(transcript);
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("result", json!(result));
    put("status", json!("completed"));
    put("agent", json!(context.brief.agent));
    put(
        "strategy",
        json!(match context.brief.code {
            Some(_) => "code",
            None => context.brief.strategy.as_str(),
        }),
    );
    put(
        "iterations",
        json!(turns.iter().filter(|t| t.is_answered_iteration()).count()),
    );
    put(
        "tool_calls",
        json!(transcript.calls_before(i32::MAX).count()),
    );
    put(
        "data_points",
        json!(
            transcript
                .calls_before(i32::MAX)
                .filter(|c| is_data_point(c))
                .count()
        ),
    );
    put("limit_reached", json!(limit.map(LimitReached::as_str)));
    put("usage", json!(usage));
    put("cost", json!(cost));
    Value::Object(map)
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
