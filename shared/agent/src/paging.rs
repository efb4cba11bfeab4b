//! Pages of oversized tool results, and results that refer to an earlier one.

use serde_json::{Value, json};
use tarsy_mcp::{ToolInfo, ToolPin};
use tarsy_model::{EffectClass, McpResult};

/// Server name under which the agent's built-in tools are offered and recorded.
pub(crate) const OWN_SERVER: &str = "tarsy";
/// The tool that shows a page of an earlier result.
pub(crate) const READ_PAGE: &str = "read_page";
/// The tool that searches an earlier result.
pub(crate) const SEARCH_RESULT: &str = "search_result";

/// Bytes of a page that its note takes, beyond those that it always had.
const NOTE_BYTES: usize = 150;

/// Returns the page tool. It is answered from the transcript and calls nothing outside.
pub(crate) fn offer() -> ToolInfo {
    own_tool(
        READ_PAGE,
        "Read on in an earlier tool result that was too long to show at once.",
        json!({
            "type": "object",
            "properties": {
                "result": {"type": "integer", "description": "Number of the result"},
                "page": {"type": "integer", "description": "Page, from 1"},
            },
            "required": ["result", "page"],
        }),
    )
}

/// Describes a built-in tool, as it is offered.
pub(crate) fn own_tool(name: &str, description: &str, input_schema: Value) -> ToolInfo {
    ToolInfo {
        server: OWN_SERVER.to_owned(),
        name: name.to_owned(),
        pin: ToolPin::new(name, description, &input_schema),
        description: description.to_owned(),
        input_schema,
        effect: EffectClass::ReadOnly,
    }
}

/// Returns the text of a result as the model reads it.
pub(crate) fn text_of(result: &McpResult) -> String {
    match &result.tool_result {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => format!("{other:#}"),
    }
}

/// Returns one page of a text, with a note if more pages follow; `None` if there is no such page.
pub(crate) fn shown(text: &str, result: i32, number: usize, page_bytes: usize) -> Option<String> {
    // A page of a longer text must have room for its note.
    let room = if text.len() > page_bytes {
        NOTE_BYTES
    } else {
        0
    };
    let page = tarsy_mcp::page(text, number, page_bytes.saturating_sub(room))?;
    if page.number == page.of {
        return Some(page.text.to_owned());
    }
    let search = match number {
        1 => format!(
            "search all of it with {OWN_SERVER}.{SEARCH_RESULT} {{\"result\": {result}, \"grep\": \"error|fail\", \
             \"after\": 3}}, or with count, around, tail or jq in place of grep; or "
        ),
        _ => String::new(),
    };
    Some(format!(
        "{}\n[page {number} of {} of result {result}; {search}read on with {OWN_SERVER}.{READ_PAGE} \
         {{\"result\": {result}, \"page\": {}}}]",
        page.text,
        page.of,
        number + 1
    ))
}

/// Returns the result to record for a call that is answered from an earlier one.
pub(crate) fn repeat(of: i32) -> McpResult {
    McpResult {
        success: true,
        tool_result: Some(json!({ "repeat_of": of })),
        ..McpResult::default()
    }
}

/// Returns the number of the earlier result that this one repeats. Answers of tools are recorded as text, so that
/// none of them can be mistaken for a repeat.
pub(crate) fn repeat_of(result: &McpResult) -> Option<i32> {
    let Some(Value::Object(map)) = &result.tool_result else {
        return None;
    };
    map.get("repeat_of")?.as_i64()?.try_into().ok()
}
