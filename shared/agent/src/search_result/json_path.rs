//! A small subset of the jq language: paths, `select`, `keys` and `length`.

mod parse;

use std::cmp::Ordering;

use regex::bytes::Regex;
use serde_json::{Value, json};

use super::shown::beginning;

/// Most values that are visited.
const MOST_VISITED: usize = 200_000;
/// Longest value in a list of several, in bytes.
const LONGEST_VALUE: usize = 400;
/// Most keys of an object that are listed if nothing is found.
const MOST_KEYS: usize = 30;

#[derive(Debug)]
pub(super) struct JsonPath<'a> {
    source: &'a str,
    /// Each with the position in `source` where it ends.
    stages: Vec<(Stage, usize)>,
}

/// One step of a path: maps a value to other values.
#[derive(Debug)]
enum Stage {
    Key(String),
    Index(i64),
    Slice(Option<i64>, Option<i64>),
    Each,
    Keys,
    Length,
    /// Keeps a value if the check holds at this path.
    Select(Vec<(Stage, usize)>, Check),
}

#[derive(Debug)]
enum Check {
    IsTrue,
    IsNot(Value),
    /// Orderings relative to the value that satisfy the check.
    Compares(Value, &'static [Ordering]),
    Matches(Regex),
}

impl<'a> JsonPath<'a> {
    /// Parses an expression. The error is for the model.
    pub(super) fn parse(source: &'a str) -> Result<Self, String> {
        let stages = parse::program(source)?;
        Ok(Self { source, stages })
    }

    /// Returns the values that the path leads to, one per line.
    pub(super) fn search(&self, root: &Value, most: usize) -> String {
        let (mut count, mut shown, mut text) = (0_usize, 0_usize, String::new());
        let mut only = Value::Null;
        visit_all(&self.stages, root, &mut |value| {
            count += 1;
            if count == 1 {
                only = value.clone();
            }
            if shown + 1 == count && text.len() < most {
                let line = match value {
                    Value::String(text) => text.replace('\n', "\\n"),
                    other => other.to_string(),
                };
                text.push_str(&format!("\n{}", beginning(&line, LONGEST_VALUE)));
                shown = count;
            }
            true
        });
        match count {
            0 => format!("`{}` leads to no value{}.", self.source, self.nearest(root)),
            1 => {
                let whole = match only {
                    Value::String(text) => text,
                    other => format!("{other:#}"),
                };
                match whole.len() > most {
                    true => format!(
                        "{}\n[cut: the value has {} characters; go on in it with a longer path]",
                        beginning(&whole, most),
                        whole.len()
                    ),
                    false => whole,
                }
            }
            _ if shown < count => format!(
                "{count} values:{text}\n[{} more are not shown; narrow the path, e.g. with select(..) or [0:10]]",
                count - shown
            ),
            _ => format!("{count} values:{text}"),
        }
    }

    /// Describes the last position at which the path still led to a value, and that value.
    fn nearest(&self, root: &Value) -> String {
        let before = (0..self.stages.len()).rev().find_map(|count| {
            let (stages, _) = self.stages.split_at(count);
            let there = first(stages, root, there)?;
            let end = stages.last().map_or(0, |(_, end)| *end);
            Some((self.source.get(..end).unwrap_or_default().trim(), there))
        });
        match before {
            None => String::new(),
            Some(("", there)) => format!("; at `.` is {there}"),
            Some((path, there)) => format!("; at `{path}` is {there}"),
        }
    }
}

/// Passes each value that the stages lead to to `take`, until `take` returns false.
fn visit_all(
    stages: &[(Stage, usize)],
    root: &Value,
    take: &mut dyn FnMut(&Value) -> bool,
) -> bool {
    let mut left = MOST_VISITED;
    visit(stages, root, &mut left, take)
}

/// Applies `make` to the first value that the stages lead to.
fn first<T>(stages: &[(Stage, usize)], root: &Value, make: impl Fn(&Value) -> T) -> Option<T> {
    let mut made = None;
    visit_all(stages, root, &mut |value| {
        made = Some(make(value));
        false
    });
    made
}

/// Visits the values below `value`. Returns whether to continue.
fn visit(
    stages: &[(Stage, usize)],
    value: &Value,
    left: &mut usize,
    take: &mut dyn FnMut(&Value) -> bool,
) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    let Some(((stage, _), rest)) = stages.split_first() else {
        return take(value);
    };
    let mut go = |value: &Value| visit(rest, value, &mut *left, &mut *take);
    match (stage, value) {
        (Stage::Key(name), Value::Object(members)) => members.get(name).is_none_or(go),
        (Stage::Index(at), Value::Array(items)) => {
            let size = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
            let at = if *at < 0 {
                items.len().checked_sub(size)
            } else {
                Some(size)
            };
            at.and_then(|at| items.get(at)).is_none_or(go)
        }
        (Stage::Slice(from, to), Value::Array(items)) => {
            let length = items.len();
            let (from, to) = (
                from.map_or(0, |at| bound(at, length)),
                to.map_or(length, |at| bound(at, length)),
            );
            go(&items.get(from..to).unwrap_or_default().into())
        }
        (Stage::Each, Value::Array(items)) => items.iter().all(go),
        (Stage::Each, Value::Object(members)) => members.values().all(go),
        (Stage::Keys, Value::Object(members)) => go(&members.keys().cloned().collect()),
        (Stage::Length, Value::Array(items)) => go(&json!(items.len())),
        (Stage::Length, Value::Object(members)) => go(&json!(members.len())),
        (Stage::Length, Value::String(text)) => go(&json!(text.chars().count())),
        (Stage::Select(path, check), value) => {
            let holds = first(path, value, |value| check.matches(value));
            !holds.unwrap_or_else(|| check.matches(&Value::Null)) || go(value)
        }
        // The value has another type than the path expects.
        _ => true,
    }
}

/// Returns the start or end of a slice. A negative position counts from the end.
fn bound(at: i64, length: usize) -> usize {
    let size = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
    match at {
        0.. => size.min(length),
        _ => length.saturating_sub(size),
    }
}

impl Check {
    fn matches(&self, value: &Value) -> bool {
        match self {
            Self::IsTrue => !matches!(value, Value::Null | Value::Bool(false)),
            Self::IsNot(other) => order(value, other) != Some(Ordering::Equal),
            Self::Compares(other, orders) => {
                order(value, other).is_some_and(|order| orders.contains(&order))
            }
            Self::Matches(regex) => value
                .as_str()
                .is_some_and(|text| regex.is_match(text.as_bytes())),
        }
    }
}

/// Compares two values, if they can be compared. A number may be written as text.
fn order(one: &Value, other: &Value) -> Option<Ordering> {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ if one == other => Some(Ordering::Equal),
        _ => number(one)?.partial_cmp(&number(other)?),
    }
}

/// Describes a value to a model that searches in it.
fn there(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(MOST_KEYS).map(String::as_str).collect();
            let more = if members.len() > MOST_KEYS {
                ", .."
            } else {
                ""
            };
            let keys = beginning(&keys.join(", "), LONGEST_VALUE);
            format!("an object with the keys {keys}{more}")
        }
        Value::Array(items) => format!("an array of {}", items.len()),
        other => format!("the value {}", beginning(&other.to_string(), 100)),
    }
}
