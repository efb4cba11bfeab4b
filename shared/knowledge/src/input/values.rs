//! Parses typed values from text and JSON.

use serde_json::{Number, Value};

use crate::mapping::{Field, ValueKind};

/// Parses the value of a cell; returns `None` if it is empty.
///
/// # Errors
///
/// A description of what is wrong with it.
pub(crate) fn from_text(field: &Field, text: &str) -> Result<Option<Value>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.contains('\0') {
        return Err(format!("`{}` holds a NUL character", field.name));
    }
    let value = match field.kind {
        ValueKind::Text => Some(Value::String(match text.contains('\r') {
            true => text.replace("\r\n", "\n").replace('\r', "\n"),
            false => text.to_owned(),
        })),
        ValueKind::Integer => text.parse::<i64>().ok().map(Value::from),
        ValueKind::Number => text
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(Value::Number),
        ValueKind::Boolean => boolean(text).map(Value::Bool),
    };
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(wrong(field, text)),
    }
}

/// Converts the value of a JSON member; returns `None` if it is null or blank.
///
/// # Errors
///
/// A description of what is wrong with it.
pub(crate) fn from_json(field: &Field, value: &Value) -> Result<Option<Value>, String> {
    match (field.kind, value) {
        (_, Value::Null) => Ok(None),
        (_, Value::String(text)) => from_text(field, text),
        (ValueKind::Text, Value::Array(items)) => {
            let lines: Vec<String> = items.iter().map(plain).collect();
            from_text(field, &lines.join("\n"))
        }
        (ValueKind::Integer, Value::Number(number)) if number.is_i64() => Ok(Some(value.clone())),
        (ValueKind::Number, Value::Number(_)) | (ValueKind::Boolean, Value::Bool(_)) => {
            Ok(Some(value.clone()))
        }
        (ValueKind::Text, other) => from_text(field, &plain(other)),
        (_, other) => Err(wrong(field, &other.to_string())),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" | "t" | "1" => Some(true),
        "false" | "no" | "n" | "f" | "0" => Some(false),
        _ => None,
    }
}

fn wrong(field: &Field, text: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    let kind = match field.kind {
        ValueKind::Text => "text",
        ValueKind::Integer => "an integer",
        ValueKind::Number => "a number",
        ValueKind::Boolean => "a boolean",
    };
    format!("`{}`: `{shown}` is not {kind}", field.name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{from_json, from_text};
    use crate::mapping::{Field, Mapping};

    fn field(kind: &str) -> Field {
        let text = format!("fields: [{{name: f, type: {kind}}}]");
        Mapping::parse("m", &text).unwrap().fields.remove(0)
    }

    #[test]
    fn text_becomes_values() {
        for (kind, text, value) in [
            ("text", " a\r\nb ", json!("a\nb")),
            ("integer", " -7 ", json!(-7)),
            ("number", "1e3", json!(1000.0)),
            ("boolean", "No", json!(false)),
            ("integer", "  ", Value::Null),
        ] {
            assert_eq!(
                from_text(&field(kind), text).unwrap().unwrap_or_default(),
                value,
                "{text}"
            );
        }
        for (kind, text) in [
            ("integer", "1.5"),
            ("number", "NaN"),
            ("boolean", "maybe"),
            ("text", "a\0b"),
        ] {
            assert!(from_text(&field(kind), text).is_err(), "{text}");
        }
    }

    #[test]
    fn json_becomes_values() {
        for (kind, value, expected) in [
            ("text", json!(["a", 1]), json!("a\n1")),
            ("text", json!({"a": 1}), json!("{\"a\":1}")),
            ("integer", json!("12"), json!(12)),
            ("number", json!(1), json!(1)),
            ("boolean", json!(true), json!(true)),
            ("text", json!(null), Value::Null),
        ] {
            assert_eq!(
                from_json(&field(kind), &value).unwrap().unwrap_or_default(),
                expected
            );
        }
        assert!(from_json(&field("integer"), &json!(1.5)).is_err());
        assert!(from_json(&field("boolean"), &json!(1)).is_err());
    }
}
