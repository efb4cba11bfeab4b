//! Lists the metrics and labels that exist.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{cut, has_words, items, listed};
use crate::upstream::Upstream;
use crate::window::{Arguments, now};

/// Maximum number of names or values in an answer.
const MOST: usize = 60;
/// Maximum number of values that are shown next to a label's name.
const EXAMPLES: usize = 5;
/// Maximum number of series that are requested.
const MOST_SERIES: &str = "5000";
/// Maximum length of a metric's description, in characters.
const LONGEST_HELP: usize = 120;

#[derive(Deserialize)]
pub(super) struct Metrics {
    search: Option<String>,
    selector: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Labels {
    selector: String,
    label: Option<String>,
    #[serde(flatten)]
    window: Arguments,
}

pub(super) async fn metrics(upstream: &Upstream, asked: Metrics) -> Result<String, String> {
    let Metrics { search, selector } = asked;
    let selected = Vec::from_iter(selector.map(|selector| ("match[]", selector)));
    let path = "api/v1/label/__name__/values";
    let names = upstream.get(path, &selected).await?;
    // Other stores with Prometheus' API often have no descriptions, so an error is ignored.
    let described = upstream.get("api/v1/metadata", &[]).await;
    let described = described.unwrap_or_default();
    let names = items(&names["data"]);
    let mut lines = Vec::new();
    for name in names.iter().filter_map(Value::as_str) {
        let known = &described["data"][name][0];
        let help = known["help"].as_str().unwrap_or_default();
        if has_words(search.as_deref(), &[name, help]) {
            let kind = known["type"].as_str();
            let kind = kind.map_or(String::new(), |kind| format!(" ({kind})"));
            let line = format!("{name}{kind}: {}", cut(help, LONGEST_HELP));
            lines.push(line.trim_end_matches(": ").to_owned());
        }
    }
    let head = format!("{} of {} metrics", lines.len(), names.len());
    Ok(listed(&head, &lines, MOST, "add words to `search`"))
}

pub(super) async fn labels(upstream: &Upstream, asked: Labels) -> Result<String, String> {
    let window = asked.window.window(now())?;
    let parameters = [
        ("match[]", asked.selector),
        ("start", window.start.to_string()),
        ("end", window.end.to_string()),
        ("limit", MOST_SERIES.to_owned()),
    ];
    let answer = upstream.get("api/v1/series", &parameters).await?;
    let series = items(&answer["data"]);
    Ok(match asked.label {
        Some(label) => values(series, &label),
        None => names(series),
    })
}

/// Writes the values of one label, those with the most series first.
fn values(series: &[Value], label: &str) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in series {
        if let Some(value) = one[label].as_str() {
            *counts.entry(value).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (number, of) = (counts.len(), series.len());
    let head = format!("{number} values of `{label}` in {of} series");
    let lines = counts.into_iter();
    let lines: Vec<String> = lines
        .map(|(value, count)| format!("{value}: {count}"))
        .collect();
    listed(&head, &lines, MOST, "narrow the selector")
}

/// Writes the names of labels, with some values of each.
fn names(series: &[Value]) -> String {
    let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, value) in series.iter().filter_map(Value::as_object).flatten() {
        if let Some(value) = value.as_str() {
            labels.entry(name.as_str()).or_default().insert(value);
        }
    }
    let lines: Vec<String> = labels
        .into_iter()
        .map(|(name, values)| {
            let some = values.iter().take(EXAMPLES);
            let some: Vec<String> = some.map(|value| cut(value, 80)).collect();
            let more = if values.len() > EXAMPLES { ", .." } else { "" };
            format!("{name}, {} values: {}{more}", values.len(), some.join(", "))
        })
        .collect();
    let head = match series.len() {
        0 => "no series matches: `metrics` finds names".to_owned(),
        number => format!("{} labels of {number} series", lines.len()),
    };
    listed(&head, &lines, MOST, "narrow the selector")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_are_shown_with_some_values_and_one_with_all() {
        let series: Vec<Value> = (0..12)
            .map(|n| json!({"__name__": "up", "job": format!("job-{}", n % 3), "pod": format!("p{n:02}")}))
            .collect();
        assert_eq!(
            names(&series),
            "3 labels of 12 series\n- __name__, 1 values: up\n- job, 3 values: job-0, job-1, job-2\n\
             - pod, 12 values: p00, p01, p02, p03, p04, .."
        );
        assert_eq!(
            values(&series, "job"),
            "3 values of `job` in 12 series\n- job-0: 4\n- job-1: 4\n- job-2: 4"
        );
        assert!(names(&[]).starts_with("no series matches"));
    }
}
