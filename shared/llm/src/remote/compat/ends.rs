//! Renames stop reasons that `genai` does not know, and adds members that it requires.

use serde_json::{Value, json};

use crate::ProviderKind;

/// Whether answers of this kind may need such changes.
pub(in crate::remote) const fn may_be_odd(kind: ProviderKind) -> bool {
    matches!(kind, ProviderKind::OpenAiResponses | ProviderKind::Bedrock)
}

/// Renames the stop reason to one that `genai` knows, and adds missing members. Returns whether the answer changed.
pub(in crate::remote) fn rename(kind: ProviderKind, answer: &mut Value) -> bool {
    match kind {
        ProviderKind::Bedrock => {
            let stopped = answer.get("stopReason").and_then(Value::as_str);
            let is_filter = matches!(stopped, Some("guardrail_intervened" | "content_filtered"));
            let is_full = stopped == Some("model_context_window_exceeded");
            if is_filter {
                answer["stopReason"] = json!("content_filter");
            } else if is_full {
                answer["stopReason"] = json!("max_tokens");
            }
            is_filter || is_full
        }
        ProviderKind::OpenAiResponses if answer.is_object() => {
            let mut changed = false;
            // The status is only "incomplete". The reason is in `incomplete_details`.
            let why = answer.pointer("/incomplete_details/reason");
            let end = match why.and_then(Value::as_str) {
                Some("max_output_tokens") => Some("max_tokens"),
                Some("content_filter") => Some("content_filter"),
                _ => None,
            };
            if let Some(end) = end {
                answer["status"] = json!(end);
                changed = true;
            }
            // Servers that imitate the API may omit these members.
            for (name, usual) in [("id", ""), ("status", "completed"), ("model", "")] {
                if !answer.get(name).is_some_and(Value::is_string) {
                    answer[name] = json!(usual);
                    changed = true;
                }
            }
            changed
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_has_the_name_of_its_reason() {
        let mut answer = json!({"stopReason": "guardrail_intervened"});
        assert!(rename(ProviderKind::Bedrock, &mut answer));
        assert_eq!(answer["stopReason"], "content_filter");
        let mut answer = json!({"id": "r", "model": "m", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
        assert!(rename(ProviderKind::OpenAiResponses, &mut answer));
        assert_eq!(answer["status"], "max_tokens");
        let mut answer = json!({"id": "r", "model": "m", "status": "completed"});
        assert!(!rename(ProviderKind::OpenAiResponses, &mut answer));
    }
}
