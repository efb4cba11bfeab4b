//! Flattens a payload to its scalars by path.

use std::collections::BTreeMap;

use serde_json::Value;

/// Maximum number of scalars that are read; real alerts have fewer.
const MOST: usize = 2_000;

/// Returns every scalar by its path: `{"a": {"b": [1]}}` becomes `a.b.0 = 1`.
pub(crate) fn flatten(payload: &Value) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    walk(payload, &mut String::new(), &mut labels);
    labels
}

fn walk(value: &Value, path: &mut String, labels: &mut BTreeMap<String, String>) {
    if labels.len() >= MOST {
        return;
    }
    let text = match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(key, value)| below(key, value, path, labels));
            return;
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| below(&index.to_string(), value, path, labels));
            return;
        }
        Value::Null => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    labels.insert(path.clone(), text);
}

fn below(key: &str, value: &Value, path: &mut String, labels: &mut BTreeMap<String, String>) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    walk(value, path, labels);
    path.truncate(length);
}
