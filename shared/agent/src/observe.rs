//! Observations: what the model reads about a tool call.

use tarsy_model::{McpResult, RecordedMcp};

use crate::fence::Fence;
use crate::paging;
use crate::result_summary;
use crate::series;
use crate::transcript::Transcript;

/// The observation of one finished call, its text fenced as data.
pub(crate) fn observation(
    call: &RecordedMcp,
    result: &McpResult,
    transcript: &Transcript,
    fence: &Fence,
    page_bytes: usize,
) -> String {
    let intent = &call.intent;
    let name = &intent.step_description;
    let message = result
        .error_message
        .as_deref()
        .unwrap_or("no reason was given");
    if result.refused {
        return format!(
            "`{name}` was refused and not called: {}",
            fence.wrap("REFUSAL", message)
        );
    }
    if let Some(of) = paging::repeat_of(result) {
        return repeated(name, of, transcript, fence, page_bytes);
    }
    let text = paging::text_of(result);
    if !result.success {
        let detail = if text.trim().is_empty() {
            message
        } else {
            &text
        };
        return format!(
            "`{name}` failed:\n{}",
            fenced_page(detail, intent.sequence, transcript, fence, page_bytes)
        );
    }
    if intent.server_name == paging::OWN_SERVER {
        return format!("`{name}`:\n{}", fence.wrap("TOOL RESULT", &text));
    }
    let cut = if result.truncated {
        " (the tool gave more than could be kept)"
    } else {
        ""
    };
    format!(
        "Result {} of `{name}`{cut}:\n{}",
        intent.sequence,
        fenced_page(&text, intent.sequence, transcript, fence, page_bytes)
    )
}

fn repeated(
    name: &str,
    of: i32,
    transcript: &Transcript,
    fence: &Fence,
    page_bytes: usize,
) -> String {
    let earlier = transcript
        .calls_before(i32::MAX)
        .find(|c| c.intent.sequence == of)
        .and_then(|c| c.result.as_ref());
    let note =
        format!("You made this call of `{name}` before; it was not made again. Result {of} was");
    match earlier {
        Some(result) if result.success => {
            format!(
                "{note}:\n{}",
                fenced_page(&paging::text_of(result), of, transcript, fence, page_bytes)
            )
        }
        _ => format!("{note} as shown for that call."),
    }
}

fn fenced_page(
    text: &str,
    sequence: i32,
    transcript: &Transcript,
    fence: &Fence,
    page_bytes: usize,
) -> String {
    if text.trim().is_empty() {
        return fence.wrap("TOOL RESULT", "(empty)");
    }
    let shown = series::shaped(text, Some(sequence), page_bytes)
        .or_else(|| result_summary::shown(text, sequence, transcript))
        .or_else(|| paging::shown(text, sequence, 1, page_bytes));
    fence.wrap("TOOL RESULT", &shown.unwrap_or_default())
}
