//! Prints the claims of an analysis, each with the tool calls that support it.

use serde_json::Value;

use crate::output::{bold, dim, harmless, members, text};

/// Prints the claims of the stage whose result is the session's analysis, or the reason why it has none.
pub(crate) fn print(session: &Value) {
    for line in lines(session) {
        println!("{line}");
    }
}

fn lines(session: &Value) -> Vec<String> {
    let analysis = session.get("final_analysis").and_then(Value::as_str);
    let is_of = |stage: &&Value| {
        let result = stage.pointer("/stage_output/result");
        stage.get("is_current") == Some(&Value::Bool(true))
            && result.and_then(Value::as_str) == analysis
    };
    let stages: Vec<&Value> = members(session, "stages").collect();
    let Some(stage) = stages
        .into_iter()
        .rev()
        .find(is_of)
        .filter(|_| analysis.is_some())
    else {
        return Vec::new();
    };
    let Some(output) = stage.get("stage_output") else {
        return Vec::new();
    };
    if let Some(why) = output.get("output_error").and_then(Value::as_str) {
        return vec![format!("\n{} {}", bold("Claims: none;"), harmless(why))];
    }
    let claims: Vec<&Value> = members(output, "claims").collect();
    if claims.is_empty() {
        return Vec::new();
    }
    let shown = claims.iter().filter(|claim| not_shown(claim).is_none());
    let heading = format!(
        "Claims: {} of {} shown by a tool",
        shown.count(),
        claims.len()
    );
    let claims = claims.iter().map(|claim| {
        let calls = members(claim, "calls")
            .map(|call| format!("{} {}", text(call, "call"), text(call, "interaction_id")));
        let by = match not_shown(claim) {
            None => calls.collect::<Vec<_>>().join("; "),
            Some(why) => format!("not shown by a tool: {why}"),
        };
        format!(
            "- {} {}",
            harmless(text(claim, "text")),
            dim(&format!("[{}]", harmless(&by)))
        )
    });
    std::iter::once(format!("\n{}", bold(&heading)))
        .chain(claims)
        .collect()
}

/// Returns why no tool result supports a claim.
fn not_shown(claim: &Value) -> Option<&str> {
    match members(claim, "calls").next() {
        Some(_) => claim.get("not_shown").and_then(Value::as_str),
        None => Some(
            claim
                .get("not_shown")
                .and_then(Value::as_str)
                .unwrap_or("it cites no call"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn session(output: Value) -> Value {
        json!({"final_analysis": "So it is.", "stages": [
            {"is_current": false, "stage_output": {"result": "So it is.", "claims": [{"text": "old", "calls": []}]}},
            {"is_current": true, "stage_output": output},
        ]})
    }

    #[test]
    fn each_claim_names_its_evidence() {
        let output = json!({"result": "So it is.", "claims": [
            {"text": "It is full.", "calls": [{"interaction_id": "i-1", "call": "df of host"}]},
            {"text": "Nobody\u{1b}[2J noticed.", "calls": [], "not_shown": "it cites no call"},
        ]});
        let printed = lines(&session(output)).join("\n");
        assert!(
            printed.contains("Claims: 1 of 2 shown by a tool"),
            "{printed}"
        );
        assert!(
            printed.contains("- It is full. ") && printed.contains("[df of host i-1]"),
            "{printed}"
        );
        assert!(
            printed.contains("[not shown by a tool: it cites no call]"),
            "{printed}"
        );
        assert!(!printed.contains("\u{1b}[2J"), "{printed}");
    }

    #[test]
    fn an_analysis_without_claims_shows_the_reason_or_nothing() {
        let none = lines(&session(
            json!({"result": "So it is.", "output_error": "no time"}),
        ));
        assert!(none[0].contains("no time"), "{none:?}");
        assert!(lines(&session(json!({"result": "So it is."}))).is_empty());
        assert!(lines(&session(json!({"result": "Else.", "claims": [1]}))).is_empty());
    }
}
