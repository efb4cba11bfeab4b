//! Formats interactions for printing.

use serde_json::Value;

use crate::output::{dim, harmless, members, shortened, status, styled, text};

/// Longest excerpt of a tool result, in characters.
const EXCERPT_CHARS: usize = 160;

/// Returns one line about a model or tool call that has ended; `None` while it runs.
pub(crate) fn line(interaction: &Value) -> Option<String> {
    let details = interaction.get("details")?;
    let _ended = details
        .get("success")
        .filter(|success| !success.is_null())?;
    Some(match text(interaction, "type") {
        "llm" => answer(details),
        _ => call(details),
    })
}

fn answer(details: &Value) -> String {
    if details.get("success").and_then(Value::as_bool) == Some(false) {
        return format!(
            "  {} {}",
            status("failed"),
            shortened(text(details, "error_message"), 200)
        );
    }
    let text = details
        .get("response_text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let thought = text.split("\nAction:").next().unwrap_or(text);
    let thought = thought.trim().trim_start_matches("Thought:");
    let thought = thought
        .split("Final Answer:")
        .next()
        .unwrap_or(thought)
        .trim();
    let calls: Vec<String> = members(details, "tool_calls").map(call_text).collect();
    let calls = calls.join(", ");
    match (thought.is_empty(), calls.is_empty()) {
        (true, true) => format!("  {} concludes", dim("💭")),
        (true, false) => format!("  {} calls {calls}", dim("💭")),
        (false, true) => format!("  {} {}", dim("💭"), shortened(thought, 400)),
        (false, false) => format!(
            "  {} {}\n     calls {calls}",
            dim("💭"),
            shortened(thought, 400)
        ),
    }
}

/// Formats a native tool call of a model.
fn call_text(call: &Value) -> String {
    let arguments = call.get("arguments").filter(|given| !given.is_null());
    let arguments = arguments.map(Value::to_string).unwrap_or_default();
    format!(
        "{} {}",
        harmless(text(call, "name")),
        dim(&shortened(&arguments, 120))
    )
}

fn call(details: &Value) -> String {
    let server = harmless(text(details, "server_name"));
    let name = format!("{server}.{}", harmless(text(details, "tool_name")));
    if text(details, "communication_type") == "tool_list" {
        let count = details
            .get("available_tools")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        return format!("  {} {server} offers {count} tools", dim("🔧"));
    }
    let arguments = details
        .get("parameters")
        .filter(|a| !a.is_null())
        .map(Value::to_string);
    let head = format!(
        "  {} {name} {}",
        dim("🔧"),
        dim(&shortened(&arguments.unwrap_or_default(), 120))
    );
    let result = match details.get("result") {
        Some(Value::String(result)) => result.clone(),
        Some(Value::Null) | None => text(details, "error_message").to_owned(),
        Some(other) => other.to_string(),
    };
    let masked: i64 = details
        .get("masked_kinds")
        .and_then(Value::as_object)
        .map_or(0, |kinds| kinds.values().filter_map(Value::as_i64).sum());
    let masked = if masked > 0 {
        format!(" ({masked} secrets masked)")
    } else {
        String::new()
    };
    format!(
        "{head}\n     {}{}",
        dim(&shortened(&result, EXCERPT_CHARS)),
        styled("33", &masked)
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn native_tool_calls_are_shown_as_calls() {
        let line_of = |details| line(&json!({"type": "llm", "details": details})).unwrap();
        let calls = json!([{"id": "1", "name": "ledger.read", "arguments": {"pod": "ledger-0"}}]);
        let calling = line_of(json!({"success": true, "response_text": null, "tool_calls": calls}));
        assert!(
            calling.contains(r#"calls ledger.read {"pod":"ledger-0"}"#),
            "{calling}"
        );
        let both =
            line_of(json!({"success": true, "response_text": "I look.", "tool_calls": calls}));
        assert!(
            both.contains("I look.") && both.contains("calls ledger.read"),
            "{both}"
        );
        let end = line_of(
            json!({"success": true, "response_text": "Final Answer: x", "tool_calls": null}),
        );
        assert!(end.contains("concludes"), "{end}");
        assert_eq!(
            line(&json!({"type": "llm", "details": {"success": null}})),
            None
        );
    }
}
