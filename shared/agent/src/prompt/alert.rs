//! Formats alert data for prompts.

use serde_json::Value;

/// The fields of `head`, then those of the data that say something else. One line or one fenced block per field; nested
/// JSON is indented, JSON inside strings is unpacked, YAML and other multi-line text keeps its lines.
pub(super) fn details(head: &[(&str, &str)], data: &Value) -> String {
    let mut lines: Vec<String> = head
        .iter()
        .map(|(key, text)| format!("**{key}**: {text}"))
        .collect();
    match data {
        Value::Object(map) => lines.extend(
            map.iter()
                .filter(|(key, value)| {
                    let is_said = |(name, text): &(&str, &str)| name == key && *value == text;
                    !head.iter().any(is_said)
                })
                .map(|(key, value)| format!("**{key}**: {}", field_value(value))),
        ),
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
    let first = text
        .lines()
        .find(|l| !l.trim().is_empty())
        .unwrap_or_default();
    let key = first
        .trim_start_matches("- ")
        .split(':')
        .next()
        .unwrap_or_default();
    first.trim() == "---"
        || (first.contains(':') && !key.is_empty() && !key.contains(char::is_whitespace))
}

/// A code fence longer than any inside the text.
pub(super) fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_json_and_yaml_strings_stay_readable() {
        let text = details(
            &[],
            &json!({
                "namespace": "superman-dev",
                "labels": {"team": "hero"},
                "payload": "{\"a\":{\"b\":1}}",
                "manifest": "apiVersion: v1\nkind: Namespace\nspec:\n  finalizers:\n  - kubernetes\n",
                "log": "line one\nline two",
                "owner": null,
            }),
        );
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
    fn what_the_head_says_is_not_said_again() {
        let head = [("severity", "high"), ("environment", "production")];
        let data = json!({"severity": "high", "environment": "staging", "pod": "a"});
        assert_eq!(
            details(&head, &data),
            "**severity**: high\n**environment**: production\n**environment**: staging\n**pod**: a"
        );
    }

    #[test]
    fn a_code_fence_inside_the_text_does_not_end_the_block() {
        assert!(block("", "a\n```\nb").starts_with("\n````\n"));
    }
}
