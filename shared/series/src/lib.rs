//! Summarises series of metrics: one line about the course of each series instead of its points.
//!
//! It reads the forms of Prometheus, CloudWatch and Datadog.

mod forms;
mod list;
mod points;
mod sparkline;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value};

pub use list::{SeriesList, Style};
pub use points::short;

/// Writes labels as Prometheus does: `up{job="a", pod="b"}`.
#[must_use]
pub fn labels_text(labels: &Map<String, Value>) -> String {
    const NAME: &str = "__name__";
    let name = labels.get(NAME).and_then(Value::as_str).unwrap_or_default();
    let others: Vec<String> = labels
        .iter()
        .filter(|(label, _)| *label != NAME)
        .map(|(label, value)| format!("{label}={value}"))
        .collect();
    match others.is_empty() {
        true if !name.is_empty() => name.to_owned(),
        _ => format!("{name}{{{}}}", others.join(", ")),
    }
}

/// Writes a time in seconds since 1970 as RFC 3339; the number itself if it is outside the calendar's range.
#[must_use]
pub fn written(seconds: f64) -> String {
    let millis = (seconds * 1e3) as i64;
    let time = DateTime::from_timestamp_millis(millis);
    time.map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(SecondsFormat::Secs, true),
    )
}
