//! Converts a call's outcome to its stored row.

use serde_json::{Value, json};
use tarsy_model::McpResult;

use crate::error::CallError;
use crate::outcome::{ListedServer, ToolOutcome};

/// Member of a stored tool list's result that holds the server's text about its use.
pub const INSTRUCTIONS: &str = "instructions";

/// Converts the outcome of a call to its stored result.
///
/// The caller sets `duration_ms` for a failed call.
#[must_use]
pub fn recorded(end: &Result<ToolOutcome, CallError>) -> McpResult {
    match end {
        Ok(outcome) => McpResult {
            success: !outcome.is_error,
            tool_result: Some(Value::String(outcome.text.clone())),
            duration_ms: i64::try_from(outcome.duration.as_millis()).unwrap_or(i64::MAX),
            error_message: outcome.is_error.then(|| first_line(&outcome.text)),
            masked_kinds: (!outcome.masked_kinds.is_empty()).then(|| json!(outcome.masked_kinds)),
            truncated: outcome.truncated,
            ..McpResult::default()
        },
        Err(error) => McpResult {
            success: false,
            error_message: Some(error.to_string()),
            refused: matches!(error, CallError::Refused(_)),
            ..McpResult::default()
        },
    }
}

/// Converts a server's list to its stored result. The caller sets `duration_ms`.
#[must_use]
pub fn recorded_list(listed: &ListedServer) -> McpResult {
    let instructions = listed.instructions.as_ref();
    McpResult {
        success: true,
        available_tools: Some(json!(listed.tools)),
        tool_result: instructions.map(|text| json!({INSTRUCTIONS: text})),
        ..McpResult::default()
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("the tool reported an error");
    line[..line.floor_char_boundary(500)].to_owned()
}
