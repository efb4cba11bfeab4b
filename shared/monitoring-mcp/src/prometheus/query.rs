//! Evaluates expressions of Prometheus at one time and over a range.

use serde::Deserialize;
use serde_json::Value;
use tarsy_series::{labels_text, short, written};

use crate::answer::{items, listed, ranges};
use crate::upstream::Upstream;
use crate::window::{Arguments, now, time};

/// Maximum number of values in an answer.
const MOST_VALUES: usize = 60;
const NARROW: &str = "select by labels, aggregate with sum by (..), or take topk(10, ..)";

#[derive(Deserialize)]
pub(super) struct Instant {
    query: String,
    time: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Range {
    query: String,
    #[serde(flatten)]
    window: Arguments,
}

pub(super) async fn instant(upstream: &Upstream, asked: Instant) -> Result<String, String> {
    let Instant { query, time: at } = asked;
    let now = now();
    let at = at.map_or(Ok(now), |at| time(&at, now))?;
    let parameters = [("query", query), ("time", at.to_string())];
    let answer = upstream.get("api/v1/query", &parameters).await?;
    let result = &answer["data"]["result"];
    let text = match answer["data"]["resultType"].as_str() {
        Some("vector") => vector(result),
        // A range selector, e.g. up[5m].
        Some("matrix") => ranges(result, None),
        _ => value_of(result).unwrap_or_default(),
    };
    Ok(with_warnings(text, &answer))
}

pub(super) async fn range(upstream: &Upstream, asked: Range) -> Result<String, String> {
    let Range { query, window } = asked;
    let window = window.window(now())?;
    let parameters = [
        ("query", query),
        ("start", window.start.to_string()),
        ("end", window.end.to_string()),
        ("step", window.step.to_string()),
    ];
    let answer = upstream.get("api/v1/query_range", &parameters).await?;
    let text = ranges(&answer["data"]["result"], Some(window.step));
    Ok(with_warnings(text, &answer))
}

/// Writes the values of series at one time, the greatest first.
pub(crate) fn vector(result: &Value) -> String {
    let line = |one: &Value| {
        let labels = one["metric"].as_object();
        let labels = labels.map(labels_text).unwrap_or_default();
        let Some(value) = value_of(&one["value"]) else {
            return (f64::NAN, format!("{labels}: a histogram"));
        };
        let number = value.parse::<f64>();
        let shown = number.as_ref().map_or(value, |number| short(*number));
        (number.unwrap_or(f64::NAN), format!("{labels}: {shown}"))
    };
    let mut values: Vec<(f64, String)> = items(result).iter().map(line).collect();
    if values.is_empty() {
        return "no series matches: `metrics` finds names, `labels` finds values of labels"
            .to_owned();
    }
    values.sort_by(|one, other| other.0.total_cmp(&one.0));
    let lines: Vec<String> = values.into_iter().map(|(_, line)| line).collect();
    let head = match result.pointer("/0/value/0").and_then(Value::as_f64) {
        Some(at) => format!("{} series at {}", lines.len(), written(at)),
        None => format!("{} series", lines.len()),
    };
    listed(&head, &lines, MOST_VALUES, NARROW)
}

/// Returns the value of a pair `[time, "value"]`.
fn value_of(pair: &Value) -> Option<String> {
    pair.get(1)?.as_str().map(str::to_owned)
}

/// Appends up to three warnings and three remarks of Prometheus, e.g. that a function was applied to a metric that is
/// no counter.
fn with_warnings(mut text: String, answer: &Value) -> String {
    for kind in ["warnings", "infos"] {
        let remarks = items(&answer[kind]).iter();
        for remark in remarks.filter_map(Value::as_str).take(3) {
            text.push_str(&format!("\n[{remark}]"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_greatest_values_come_first_and_the_others_are_counted() {
        let series = |n: i32| json!({"metric": {"pod": format!("p{n}")}, "value": [1_795_867_200, n.to_string()]});
        let all: Vec<Value> = (0..100).map(series).collect();
        let text = vector(&json!(all));
        assert!(
            text.starts_with(
                "100 series at 2026-11-28T12:00:00Z\n- {pod=\"p99\"}: 99\n- {pod=\"p98\"}"
            ),
            "{text}"
        );
        assert!(text.ends_with(&format!("[40 more: {NARROW}]")), "{text}");
        assert!(vector(&json!([])).starts_with("no series matches"));
        assert!(
            vector(&json!([{"metric": {"a": "b"}, "histogram": [1, {}]}]))
                .contains("{a=\"b\"}: a histogram")
        );
    }
}
