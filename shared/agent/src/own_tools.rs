//! The agent's built-in tools. They are answered from the transcript and call nothing outside.

use serde_json::{Value, json};
use tarsy_mcp::ToolInfo;
use tarsy_model::{AgentLimits, McpResult, RecordedMcp};

use crate::decision_context::DecisionContext;
use crate::paging::{self, OWN_SERVER, READ_PAGE, SEARCH_RESULT};
use crate::search_result::{self, whole};
use crate::series;
use crate::tool_catalog::{self, FIND_TOOLS, ToolCatalog};
use crate::transcript::Transcript;

/// Most result numbers that the error about an unknown number lists.
const NAMED: usize = 20;

/// Returns the tools that read earlier results.
pub(crate) fn offers() -> [ToolInfo; 2] {
    [paging::offer(), search_result::offer()]
}

/// Appends the agent's built-in tools to the tools of servers.
pub(crate) fn with_own(mut tools: Vec<ToolInfo>, limits: &AgentLimits) -> Vec<ToolInfo> {
    let has_catalog = ToolCatalog::new(&tools, limits).is_some();
    tools.extend(offers());
    tools.extend(has_catalog.then(tool_catalog::offer));
    tools
}

/// Returns whether a result was not shown to the model unchanged: it is longer than a page, or shaped.
pub(crate) fn has_long_result(transcript: &Transcript, page_bytes: usize) -> bool {
    transcript.calls().any(|call| {
        call.result.as_ref().is_some_and(|result| {
            let text = paging::text_of(result);
            text.len() > page_bytes || series::shaped(&text, None, page_bytes).is_some()
        })
    })
}

/// Answers a call of a built-in tool from the results before position `before`. `offers` are the tools that it may
/// name. The error text is sent to the model.
pub(crate) fn answer(
    tool: &str,
    arguments: &Value,
    before: i32,
    offers: &[ToolInfo],
    context: &DecisionContext<'_>,
) -> Result<Value, String> {
    let page_bytes = context.page_bytes();
    let earlier = || earlier_result(arguments, context.transcript, before);
    match tool {
        FIND_TOOLS => tool_catalog::answer(arguments, offers),
        READ_PAGE => {
            let (Some(_), Some(page)) = (whole(arguments, "result"), whole(arguments, "page"))
            else {
                return Err("read_page needs the numbers `result` and `page`".to_owned());
            };
            let (result, text) = earlier()?;
            let number = usize::try_from(page).unwrap_or(0);
            let shown = paging::shown(&text, result, number, page_bytes);
            let shown = shown.ok_or_else(|| format!("result {result} has no page {page}"))?;
            Ok(json!(shown))
        }
        SEARCH_RESULT => {
            let (result, text) = earlier()?;
            let found = search_result::answer(&text, result, arguments, page_bytes)?;
            Ok(json!(found))
        }
        other => Err(format!("`{other}` is not known")),
    }
}

/// Returns the number and the full text of the earlier result that the arguments name. A repeat stands for the result
/// that it repeats.
fn earlier_result(
    arguments: &Value,
    transcript: &Transcript,
    before: i32,
) -> Result<(i32, String), String> {
    let Some(number) = whole(arguments, "result") else {
        return Err("`result` must be the number of an earlier result".to_owned());
    };
    let find = |number: i64| {
        let mut calls = with_result(transcript, before);
        let (call, result) = calls.find(|(call, _)| i64::from(call.intent.sequence) == number)?;
        Some((call.intent.sequence, result))
    };
    let found = find(number).and_then(|found| match paging::repeat_of(found.1) {
        Some(of) => find(of.into()),
        None => Some(found),
    });
    let Some((number, result)) = found else {
        let others = others(transcript, before);
        return Err(format!("there is no result {number}{others}"));
    };
    let text = paging::text_of(result);
    let text = match &result.error_message {
        // The model was shown this message, since there was no text.
        Some(message) if text.trim().is_empty() => message.clone(),
        _ => text,
    };
    Ok((number, text))
}

/// Returns the calls of servers that were made and have a result.
fn with_result(
    transcript: &Transcript,
    before: i32,
) -> impl DoubleEndedIterator<Item = (&RecordedMcp, &McpResult)> {
    let calls = transcript.calls_before(before);
    calls
        .filter(|call| call.intent.server_name != OWN_SERVER)
        .filter_map(|call| Some((call, call.result.as_ref()?)))
        .filter(|(_, result)| !result.refused)
}

/// Lists the numbers of the newest results, for the model.
fn others(transcript: &Transcript, before: i32) -> String {
    let newest = with_result(transcript, before).rev().take(NAMED);
    let mut numbers: Vec<String> = newest
        .map(|(call, _)| call.intent.sequence.to_string())
        .collect();
    numbers.reverse();
    match numbers.is_empty() {
        true => "; there is none yet".to_owned(),
        false => format!("; there are {}", numbers.join(", ")),
    }
}
