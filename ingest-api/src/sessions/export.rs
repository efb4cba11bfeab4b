//! Exports of a session as CSV and Markdown. The JSON export is the session's detail itself.

mod csv;
mod markdown;

use serde_json::Value;

pub(crate) use csv::{csv, line};
pub(crate) use markdown::markdown;

/// Formats a value: a string as it is, null as empty text, others as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
