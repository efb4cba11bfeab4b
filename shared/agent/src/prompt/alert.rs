//! Formats alert data for prompts. Each field is one line or one fenced block. Nested JSON is indented, JSON inside
//! strings is unpacked, and YAML and other multi-line text keeps its lines.

use serde_json::Value;
use tarsy_model::{AlertDefaults, AlertProcessingData};

/// Environment in the prompt if the alert names none; also added if it names the default.
const UNSTATED: &str = "not stated";

/// Returns type, severity, environment and data of an alert, each once.
pub(super) fn section(alert: &AlertProcessingData) -> String {
    let mut head = vec![
        ("alert_type", alert.alert_type.clone()),
        ("severity", alert.severity().to_owned()),
    ];
    match alert.alert_data.get("environment") {
        // The default is filled in when an alert is accepted, so it can't be distinguished from a stated value.
        Some(Value::String(stated)) if stated == AlertDefaults::ENVIRONMENT => {
            head.push(("environment", format!("{stated}, or {UNSTATED}")));
        }
        Some(Value::String(stated)) => head.push(("environment", stated.clone())),
        None => head.push(("environment", UNSTATED.to_owned())),
        Some(_) => {}
    }
    let is_told = |key: &str, value: &Value| match (key, value) {
        ("environment", Value::String(_)) => true,
        // Filled in as microseconds. The section about times states it in words.
        ("timestamp", Value::Number(at)) => at.as_i64() == Some(alert.timestamp_us.0),
        (key, Value::String(text)) => {
            let known = head.iter().find(|(name, _)| *name == key);
            known.is_some_and(|(_, known)| known.trim().eq_ignore_ascii_case(text.trim()))
        }
        _ => false,
    };
    let mut lines: Vec<String> = Vec::new();
    lines.extend(head.iter().map(|(key, text)| format!("**{key}**: {text}")));
    match &alert.alert_data {
        Value::Object(map) => {
            let others = map.iter().filter(|(key, value)| !is_told(key, value));
            lines.extend(others.map(|(key, value)| format!("**{key}**: {}", field_value(value))));
        }
        other => lines.push(field_value(other)),
    }
    lines.join("\n")
}

fn field_value(value: &Value) -> String {
    match value {
        Value::Null => "N/A".to_owned(),
        Value::String(text) => text_value(text),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Array(_) | Value::Object(_) => block("json", &format!("{value:#}")),
        scalar => scalar.to_string(),
    }
}

fn text_value(text: &str) -> String {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '['])
        && let Ok(nested @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(trimmed)
    {
        return block("json", &format!("{nested:#}"));
    }
    if text.contains('\n') {
        return block(
            if looks_like_yaml(text) { "yaml" } else { "" },
            text.trim_end(),
        );
    }
    text.to_owned()
}

fn looks_like_yaml(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let first = first.unwrap_or_default();
    let key = first.trim_start_matches("- ").split_once(':');
    let is_key = |key: &str| !key.is_empty() && !key.contains(char::is_whitespace);
    first.trim() == "---" || key.is_some_and(|(key, _)| is_key(key))
}

/// Wraps a text in a code fence that is longer than any fence inside the text.
pub(super) fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_model::{SessionId, UnixMicros};

    use super::*;

    fn alert_section(alert_data: Value) -> String {
        section(&AlertProcessingData {
            session_id: SessionId::generate(),
            alert_type: "HighLatency".into(),
            severity: "high".into(),
            timestamp_us: UnixMicros(1_700_000_000_000_000),
            alert_data,
            runbook_url: None,
            runbook_content: None,
            runbook_error: None,
            chain_id: "c".into(),
            current_stage: "s".into(),
            branch: None,
            stage_outputs: Vec::new(),
        })
    }

    #[test]
    fn nested_json_and_yaml_strings_stay_readable() {
        let text = alert_section(json!({
                "namespace": "superman-dev",
                "labels": {"team": "hero"},
                "payload": "{\"a\":{\"b\":1}}",
                "manifest": "apiVersion: v1\nkind: Namespace\nspec:\n  finalizers:\n  - kubernetes\n",
                "log": "line one\nline two",
                "owner": null,
        }));
        assert!(text.contains("**namespace**: superman-dev"));
        assert!(
            text.contains("```json\n{\n  \"a\": {\n    \"b\": 1\n  }\n}\n```"),
            "{text}"
        );
        assert!(text.contains(
            "```yaml\napiVersion: v1\nkind: Namespace\nspec:\n  finalizers:\n  - kubernetes\n```"
        ));
        assert!(text.contains("```\nline one\nline two\n```"));
        assert!(text.contains("**owner**: N/A"));
    }

    #[test]
    fn severity_environment_and_time_are_told_once() {
        let stated = json!({
            "severity": "High", "environment": "staging", "timestamp": 1_700_000_000_000_000_i64, "alert_type": "Other", "pod": "a",
        });
        assert_eq!(
            alert_section(stated),
            "**alert_type**: HighLatency\n**severity**: high\n**environment**: staging\n**alert_type**: Other\n**pod**: a"
        );
    }

    #[test]
    fn an_environment_that_may_have_been_filled_in_is_not_told_as_stated() {
        let environment = |data| {
            let text = alert_section(data);
            let lines: Vec<&str> = text
                .lines()
                .filter(|line| line.contains("environment"))
                .collect();
            lines.join("; ")
        };
        assert_eq!(
            environment(json!({"environment": "production"})),
            "**environment**: production, or not stated"
        );
        assert_eq!(environment(json!({})), "**environment**: not stated");
        assert_eq!(environment(json!({"environment": 7})), "**environment**: 7");
    }

    #[test]
    fn a_code_fence_inside_the_text_does_not_end_the_block() {
        assert!(block("", "a\n```\nb").starts_with("\n````\n"));
    }
}
