//! Slots of a template (`{name}`), and how they are filled with values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use url::Url;

/// Values by the names of their arguments, each as text and as the original JSON.
pub(crate) type Given = BTreeMap<String, (String, Value)>;

#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) body: Option<Value>,
}

/// Splits a text at its slots. Each part has the name of the slot after it; the last part has none.
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

/// Returns the names of a text's slots.
pub(crate) fn slots(text: &str) -> impl Iterator<Item = String> {
    let names = parts(text).into_iter().filter_map(|(_, name)| name);
    names.map(str::to_owned)
}

/// Adds the names of a body's slots. Only a string that is a single slot counts.
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

/// Fills the slots of a text; `None` if a value is missing. Braces inside a value are not slots.
pub(crate) fn fill(text: &str, given: &Given) -> Option<String> {
    let filled = parts(text).into_iter().map(|(before, name)| {
        let value = name.map_or(Some(""), |name| Some(&given.get(name)?.0));
        Some(format!("{before}{}", value?))
    });
    filled.collect()
}

/// Fills the slots of a body, each with the original JSON value.
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

/// Returns the name if the whole text is a single slot.
fn slot(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}'])).then_some(name)
}
