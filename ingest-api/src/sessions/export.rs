//! A session as a file: JSON, CSV or Markdown.

mod csv;
mod markdown;

use serde_json::Value;

pub(crate) use csv::{csv, line};
pub(crate) use markdown::markdown;

/// A text as it is, nothing for null, other values as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
