//! Observations: the text that the model reads about a tool call.

use tarsy_model::{McpResult, RecordedMcp};

use crate::decision_context::DecisionContext;
use crate::fence::Fence;
use crate::paging;
use crate::result_summary;
use crate::series;

/// Returns the observation of one finished call, with its text fenced as data.
pub(crate) fn observation(
    call: &RecordedMcp,
    result: &McpResult,
    fence: &Fence,
    context: &DecisionContext<'_>,
) -> String {
    let intent = &call.intent;
    let name = &intent.step_description;
    let page = |text: &str, sequence| fenced_page(text, sequence, fence, context);
    let message = result.error_message.as_deref();
    let message = message.unwrap_or("no reason was given");
    if result.refused {
        let why = fence.wrap("REFUSAL", message);
        return format!("`{name}` was refused and not called: {why}");
    }
    if let Some(of) = paging::repeat_of(result) {
        let mut calls = context.transcript.calls();
        let earlier = calls.find(|call| call.intent.sequence == of);
        let earlier = earlier.and_then(|call| call.result.as_ref());
        let shown = match earlier.filter(|result| result.success) {
            Some(result) => format!(":\n{}", page(&paging::text_of(result), of)),
            None => " as shown for that call.".to_owned(),
        };
        return format!(
            "You made this call of `{name}` before; it was not made again. Result {of} was{shown}"
        );
    }
    let text = paging::text_of(result);
    if !result.success {
        let detail = if text.trim().is_empty() {
            message
        } else {
            &text
        };
        return format!("`{name}` failed:\n{}", page(detail, intent.sequence));
    }
    if intent.server_name == paging::OWN_SERVER {
        return format!("`{name}`:\n{}", fence.wrap("TOOL RESULT", &text));
    }
    let cut = match result.truncated {
        true => " (the tool gave more than could be kept)",
        false => "",
    };
    let number = intent.sequence;
    format!("Result {number} of `{name}`{cut}:\n{}", page(&text, number))
}

fn fenced_page(text: &str, sequence: i32, fence: &Fence, context: &DecisionContext<'_>) -> String {
    if text.trim().is_empty() {
        return fence.wrap("TOOL RESULT", "(empty)");
    }
    let page_bytes = context.page_bytes();
    let shown = series::shaped(text, Some(sequence), page_bytes)
        .or_else(|| result_summary::shown(text, sequence, context.transcript))
        .or_else(|| paging::shown(text, sequence, 1, page_bytes));
    fence.wrap("TOOL RESULT", &shown.unwrap_or_default())
}
