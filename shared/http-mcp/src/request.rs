//! Slots of a template, and what stands in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use url::Url;

/// A value as text and as it came.
pub(crate) type Given = BTreeMap<String, (String, Value)>;

#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) body: Option<Value>,
}

/// Parts of a text, each with the name in braces after it; the last has none.
fn parts(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{')
        && let Some((name, after)) = after.split_once('}')
    {
        parts.push((before, Some(name)));
        rest = after;
    }
    parts.push((rest, None));
    parts
}

/// Names in braces.
pub(crate) fn slots(text: &str) -> impl Iterator<Item = String> {
    let names = parts(text).into_iter().filter_map(|(_, name)| name);
    names.map(str::to_owned)
}

/// Adds the names of a body's slots: strings that are one.
pub(crate) fn slots_of_body(body: &Value, names: &mut BTreeSet<String>) {
    match body {
        Value::String(text) => names.extend(slot(text).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| slots_of_body(item, names)),
        Value::Object(members) => members
            .values()
            .for_each(|value| slots_of_body(value, names)),
        _ => {}
    }
}

/// A text with its values; `None`: one is not given. What stands in a value is no slot.
pub(crate) fn fill(text: &str, given: &Given) -> Option<String> {
    let filled = parts(text).into_iter().map(|(before, name)| {
        let value = name.map_or(Some(""), |name| Some(&given.get(name)?.0));
        Some(format!("{before}{}", value?))
    });
    filled.collect()
}

/// A body with its values, each as the JSON that came.
pub(crate) fn fill_body(body: &Value, given: &Given) -> Value {
    match body {
        Value::String(text) => match slot(text).and_then(|name| given.get(name)) {
            Some((_, value)) => value.clone(),
            None => body.clone(),
        },
        Value::Array(items) => items.iter().map(|item| fill_body(item, given)).collect(),
        Value::Object(members) => {
            let filled = members
                .iter()
                .map(|(name, value)| (name.clone(), fill_body(value, given)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}

/// The name in a text that is one slot.
fn slot(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}'])).then_some(name)
}
