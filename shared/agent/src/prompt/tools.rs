//! The tool list of text strategies.

use serde_json::Value;

use tarsy_mcp::ToolInfo;

/// `server.tool: description` with its parameters, one tool after the other.
pub(super) fn list(offers: &[ToolInfo]) -> String {
    offers.iter().map(tool).collect::<Vec<_>>().join("\n")
}

fn tool(offer: &ToolInfo) -> String {
    let mut text = format!("- {}: {}", offer.full_name(), one_line(&offer.description));
    let properties = offer
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    let Some(properties) = properties.filter(|p| !p.is_empty()) else {
        text.push_str("\n  Parameters: none");
        return text;
    };
    let required: Vec<&str> = offer
        .input_schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    text.push_str("\n  Parameters:");
    for (name, schema) in properties {
        let need = if required.contains(&name.as_str()) {
            "required"
        } else {
            "optional"
        };
        text.push_str(&format!("\n  - {name} ({}, {need})", kind(schema)));
        if let Some(description) = schema.get("description").and_then(Value::as_str) {
            text.push_str(&format!(": {}", one_line(description)));
        }
    }
    text
}

/// The type with what narrows it: `string: "a" | "b"`, `array of integer`, `default 10`.
fn kind(schema: &Value) -> String {
    let mut text = match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => "any".to_owned(),
    };
    if let Some(item) = schema
        .get("items")
        .and_then(|i| i.get("type"))
        .and_then(Value::as_str)
    {
        text.push_str(&format!(" of {item}"));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().take(20).map(Value::to_string).collect();
        text.push_str(&format!(": {}", values.join(" | ")));
    }
    if let Some(default) = schema.get("default") {
        text.push_str(&format!(", default {default}"));
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_mcp::ToolPin;
    use tarsy_model::EffectClass;

    use super::*;

    #[test]
    fn parameters_show_type_need_default_and_choices() {
        let text = list(&[ToolInfo {
            server: "kubernetes-server".into(),
            name: "pods_log".into(),
            description: "Logs of\n a pod".into(),
            input_schema: json!({
                "properties": {
                    "name": {"type": "string", "description": "Pod"},
                    "tail": {"type": "integer", "default": 100},
                    "level": {"type": "string", "enum": ["error", "info"]},
                },
                "required": ["name"],
            }),
            effect: EffectClass::ReadOnly,
            pin: ToolPin::of("pods_log", "", &Value::Null),
        }]);
        assert_eq!(
            text,
            "- kubernetes-server.pods_log: Logs of a pod\n  Parameters:\n  - name (string, required): Pod\n  \
             - tail (integer, default 100, optional)\n  - level (string: \"error\" | \"info\", optional)"
        );
    }
}
