//! Reads argument types from a tool's JSON Schema.

use serde_json::{Map, Value};

use crate::strict_schema::required;

/// Returns the property that plain text is meant for: the only required one, or the only one, or `input`.
pub(super) fn only_property(schema: &Value) -> String {
    let properties = schema["properties"].as_object();
    let names = || properties.into_iter().flat_map(Map::keys);
    match required(schema)[..] {
        [only] => only.to_owned(),
        _ if names().count() == 1 => names().cloned().collect(),
        _ => "input".to_owned(),
    }
}

/// Returns whether a tool may have a property of this name, according to its schema.
pub(super) fn may_have(schema: &Value, key: &str) -> bool {
    let properties = schema["properties"].as_object();
    properties.is_none_or(|all| all.is_empty() || all.contains_key(key))
}

/// Converts values to the types in the schema, if this loses nothing.
pub(super) fn coerce(map: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let coerced = map.into_iter().map(|(key, value)| {
        let value = match schema["properties"][&key]["type"].as_str() {
            Some(wanted) => to_type(value, wanted),
            None => value,
        };
        (key, value)
    });
    coerced.collect()
}

fn to_type(value: Value, wanted: &str) -> Value {
    match (wanted, value) {
        ("string", Value::Number(n)) => Value::String(n.to_string()),
        ("string", Value::Bool(b)) => Value::String(b.to_string()),
        ("integer" | "number", Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(Value::Number(n)) if wanted == "number" || !n.is_f64() => Value::Number(n),
            _ => Value::String(text),
        },
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Value::Bool(true),
            "false" | "no" => Value::Bool(false),
            _ => Value::String(text),
        },
        ("array" | "object", Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(parsed @ (Value::Array(_) | Value::Object(_))) => parsed,
            _ if wanted == "array" => Value::Array(vec![Value::String(text)]),
            _ => Value::String(text),
        },
        ("array", value @ (Value::Number(_) | Value::Bool(_) | Value::Object(_))) => {
            Value::Array(vec![value])
        }
        (_, value) => value,
    }
}
