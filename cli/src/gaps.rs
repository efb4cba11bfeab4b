//! Prints the gaps of an investigation.

use serde_json::Value;

use crate::output::{bold, dim, harmless, members, number, text};

/// Prints servers that were unreachable and calls that were refused or failed; nothing if there are none.
pub(crate) fn print(session: &Value) {
    for line in lines(session) {
        println!("{line}");
    }
}

fn lines(session: &Value) -> Vec<String> {
    let gaps: Vec<_> = members(session, "gaps").map(line).collect();
    let heading = (!gaps.is_empty()).then(|| format!("\n{}", bold("Gaps in the investigation")));
    heading.into_iter().chain(gaps).collect()
}

fn line(gap: &Value) -> String {
    let tool = gap.get("tool").and_then(Value::as_str);
    let what = tool.map_or_else(
        || text(gap, "server").to_owned(),
        |tool| format!("{}.{tool}", text(gap, "server")),
    );
    let times = match number(gap, "times") {
        1 => String::new(),
        times => format!(" {times} times"),
    };
    let kind = text(gap, "kind");
    let error = gap.get("error").and_then(Value::as_str).unwrap_or_default();
    let place = dim(&format!("[{}]", harmless(text(gap, "stage"))));
    format!(
        "- {} {kind}{times} {place} {}",
        harmless(&what),
        harmless(error)
    )
    .trim_end()
    .to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;

    #[test]
    fn each_gap_is_a_line_below_one_heading() {
        assert!(lines(&json!({"gaps": []})).is_empty());
        let session = json!({"gaps": [
            {"kind": "unreachable", "server": "kubernetes", "tool": null, "stage": "collect", "times": 1, "error": "connection refused"},
            {"kind": "refused", "server": "ledger", "tool": "restart", "stage": "act", "times": 2, "error": null},
        ]});
        assert_eq!(
            lines(&session),
            [
                "\nGaps in the investigation",
                "- kubernetes unreachable [collect] connection refused",
                "- ledger.restart refused 2 times [act]"
            ]
        );
    }
}
