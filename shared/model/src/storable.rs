//! Text as Postgres can keep it.

use serde_json::Value;

/// `text` with U+FFFD for each U+0000, which Postgres keeps neither in text nor in JSON
/// (PostgreSQL manual, 8.3 and 8.14).
#[must_use]
pub fn storable(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}

/// `value` with every text and key in it made [`storable`].
#[must_use]
pub fn storable_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text)),
        Value::Array(items) => items.into_iter().map(storable_json).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (storable(key), storable_json(value)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_shown_wherever_it_stands() {
        let odd = json!({"a\u{0}": ["\u{0}b", {"c": "d"}, 1]});
        let kept = json!({"a\u{fffd}": ["\u{fffd}b", {"c": "d"}, 1]});
        assert_eq!(storable_json(odd), kept);
        assert_eq!(storable("plain".to_owned()), "plain");
    }
}
