//! Finds scalars of a payload by their path.

use serde_json::Value;

/// Returns the scalar at a path such as `commits.0.id`, as text. Keys may contain dots themselves.
/// `None` if there is none, or if it is blank.
pub(super) fn at(value: &Value, path: &str) -> Option<String> {
    let scalar = find(value, path)?;
    let text = match scalar {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => scalar.to_string(),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Returns the scalar at a path. Tries every way to split the path at its dots, because keys may
/// contain dots.
fn find<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() {
        let is_scalar = !value.is_object() && !value.is_array();
        return is_scalar.then_some(value);
    }
    if let Value::Array(items) = value {
        let (index, rest) = path.split_once('.').unwrap_or((path, ""));
        return find(items.get(index.parse::<usize>().ok()?)?, rest);
    }
    let members = value.as_object()?;
    let ends = path
        .match_indices('.')
        .map(|(end, _)| end)
        .chain([path.len()]);
    ends.into_iter().find_map(|end| {
        let (key, rest) = path.split_at(end);
        find(members.get(key)?, rest.strip_prefix('.').unwrap_or(rest))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_leads_through_objects_lists_and_keys_with_dots() {
        let payload = json!({
            "a": {"b": [{"c": 7}], "x.y/z": "dotted"}, "a.b": "beside", "flag": true, "empty": " ", "none": null,
        });
        for (path, expected) in [
            ("a.b.0.c", Some("7")),
            ("a.x.y/z", Some("dotted")),
            ("flag", Some("true")),
            ("a.b", Some("beside")),
            ("a", None),
            ("a.b.1", None),
            ("a.b.x", None),
            ("empty", None),
            ("none", None),
            ("", None),
            ("..", None),
        ] {
            assert_eq!(at(&payload, path).as_deref(), expected, "{path}");
        }
    }
}
