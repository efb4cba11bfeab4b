//! Text and JSON in a form that Postgres can store.

use serde_json::Value;

/// Replaces each U+0000 of `text` by U+FFFD. Postgres can store U+0000 neither in text nor in JSON (PostgreSQL manual,
/// 8.3 and 8.14).
#[must_use]
pub fn storable(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}

/// Deepest nesting that is stored as JSON. Readers see the value with more levels around it, and `serde_json` reads 127
/// levels.
const DEEPEST: usize = 96;

/// Makes every text and key in `value` [`storable`]. A part that is nested too deeply to be read again is stored as
/// text.
#[must_use]
pub fn storable_json(value: Value) -> Value {
    storable_at(value, 0)
}

fn storable_at(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text)),
        Value::Array(_) | Value::Object(_) if depth >= DEEPEST => {
            Value::String(storable(value.to_string()))
        }
        Value::Array(items) => items
            .into_iter()
            .map(|item| storable_at(item, depth + 1))
            .collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (storable(key), storable_at(value, depth + 1)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_shown_everywhere() {
        let odd = json!({"a\u{0}": ["\u{0}b", {"c": "d"}, 1]});
        let kept = json!({"a\u{fffd}": ["\u{fffd}b", {"c": "d"}, 1]});
        assert_eq!(storable_json(odd), kept);
        assert_eq!(storable("plain".to_owned()), "plain");
    }

    #[test]
    fn what_is_stored_can_be_read_with_more_around_it() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let deepest: Value = serde_json::from_str(&nested(127)).unwrap();
        let stored = storable_json(deepest).to_string();
        let around = format!("{}{stored}{}", "[".repeat(30), "]".repeat(30));
        serde_json::from_str::<Value>(&around).unwrap();
        assert!(stored.contains(&nested(31)), "{stored}");
        let usual: Value = serde_json::from_str(&nested(96)).unwrap();
        assert_eq!(storable_json(usual.clone()), usual);
    }
}
