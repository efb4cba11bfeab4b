//! Converts tool results, in any supported form, into objects of the Kubernetes API.

mod convert;
mod describe;
mod event_line;
mod fields;
mod json;
mod table;
mod tree;

use serde_json::{Value, json};

use crate::source::{Hints, Source};

/// Returns the objects that a result shows; none if the result is unreadable.
pub(crate) fn objects(source: &Source) -> Vec<Value> {
    let hints = source.hints();
    let text = shown(&source.text);
    let start = text.trim_start();
    if start.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(start)
    {
        return json::objects(value, hints);
    }
    if hints.is_log {
        return Vec::new();
    }
    if is_yaml(text) {
        let documents = tree::yaml(text).into_iter();
        let found = documents.flat_map(|document| json::objects(document, hints));
        return found.collect();
    }
    let mut lines = text.lines();
    if lines.any(|line| line.starts_with("Name:") && line.len() > 5) {
        return describe::objects(text, hints);
    }
    let mut found = table::objects(text, hints);
    if found.is_empty() {
        found = event_line::objects(text, hints);
    }
    found
}

/// Returns the standard output alone, if the tool marks standard output and standard error.
pub(crate) fn shown(text: &str) -> &str {
    let text = text.strip_prefix("stdout:\n").unwrap_or(text);
    text.split("\nstderr:\n").next().unwrap_or(text)
}

fn is_yaml(text: &str) -> bool {
    let begins = |line: &str| {
        let mut keys = include_str!("yaml_keys.txt").lines();
        keys.any(|key| line.trim_start_matches("- ").starts_with(key))
    };
    text.lines().take(40).any(begins)
}

/// Splits a line whose columns are two or more spaces apart into cells.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

/// Reads `a=b,c=d`, or pairs with another sign than `=`, as an object.
fn pairs(text: &str, sign: char) -> Value {
    let pairs = text.split([',', '\n']);
    let pairs = pairs.filter_map(|pair| pair.trim().split_once(sign));
    pairs
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

/// Reads `Kind/name` as a reference.
fn reference(text: &str) -> Value {
    let (kind, name) = text.split_once('/').unwrap_or(("", text));
    let kind = crate::kind::canonical(kind).unwrap_or(kind);
    json!({"kind": kind, "name": name})
}

/// Builds an event about a referenced object.
fn event(reason: &str, message: &str, about: &Value, namespace: &str) -> Value {
    json!({
        "kind": "Event", "metadata": {"namespace": namespace},
        "reason": reason, "message": message, "involvedObject": about,
    })
}

/// Returns the whole number at the beginning of a text; null if there is none.
fn leading_number(text: &str) -> Value {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next();
    let number = digits.and_then(|digits| digits.parse::<i64>().ok());
    number.map_or(Value::Null, Value::from)
}

/// Returns the namespace of an object, or that of the call if the object gives none.
fn namespace_or<'a>(given: &'a str, hints: Hints<'a>) -> &'a str {
    match given {
        "" | "<none>" => hints.namespace,
        given => given,
    }
}
