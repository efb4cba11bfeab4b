//! Log lines, labels and volumes.
//!
//! The API: <https://grafana.com/docs/loki/latest/reference/loki-http-api/>. Times go out and come back in nanoseconds.

use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_series::written;

use crate::answer::{cut, listed, parsed, ranges};
use crate::patterns::{self, Line, Pattern};
use crate::upstream::Upstream;
use crate::window::{Arguments, Window, now};

/// Lines that are grouped: Loki itself answers at most 5,000 by default.
const GROUPED_LINES: usize = 2_000;
/// Most lines that are shown as they are, and how many by default.
pub(super) const MOST_LINES: usize = 100;
const DEFAULT_LINES: usize = 30;
/// Most patterns of an answer.
const MOST_PATTERNS: usize = 40;
/// Longest line that is shown, in characters.
const LONGEST_LINE: usize = 500;
const LONGEST_EXAMPLE: usize = 200;
const NANOS: i64 = 1_000_000_000;
const NARROW: &str = "add a filter such as |= \"error\", more labels, or a shorter range";

#[derive(Deserialize)]
struct Logs {
    query: String,
    limit: Option<usize>,
    #[serde(flatten)]
    window: Arguments,
}

#[derive(Deserialize)]
struct Labels {
    label: Option<String>,
    selector: Option<String>,
    #[serde(flatten)]
    window: Arguments,
}

#[derive(Deserialize)]
struct Volume {
    selector: String,
    #[serde(flatten)]
    window: Arguments,
}

pub(super) async fn patterns(
    upstream: &Upstream,
    arguments: Map<String, Value>,
) -> Result<String, String> {
    let Logs { query, window, .. } = parsed(arguments)?;
    let window = window.window(now())?;
    let answer = read(upstream, query, &window, GROUPED_LINES).await?;
    let lines = lines_of(&answer)?;
    let Some(head) = head(&lines, &window, GROUPED_LINES) else {
        return Ok(nothing(&window));
    };
    let found = patterns::patterns(&lines);
    let texts: Vec<String> = found.iter().map(pattern_line).collect();
    let head = format!("{head}: {} patterns", texts.len());
    Ok(listed(&head, &texts, MOST_PATTERNS, NARROW))
}

pub(super) async fn lines(
    upstream: &Upstream,
    arguments: Map<String, Value>,
) -> Result<String, String> {
    let Logs {
        query,
        limit,
        window,
    } = parsed(arguments)?;
    let window = window.window(now())?;
    let limit = limit.unwrap_or(DEFAULT_LINES).clamp(1, MOST_LINES);
    let answer = read(upstream, query, &window, limit).await?;
    let mut lines = lines_of(&answer)?;
    let Some(head) = head(&lines, &window, limit) else {
        return Ok(nothing(&window));
    };
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    let texts: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {}", clock(line.at), cut(line.text, LONGEST_LINE)))
        .collect();
    Ok(listed(&head, &texts, limit, NARROW))
}

pub(super) async fn range(
    upstream: &Upstream,
    arguments: Map<String, Value>,
) -> Result<String, String> {
    let Logs { query, window, .. } = parsed(arguments)?;
    let window = window.window(now())?;
    let mut parameters = times(&window);
    parameters.push(("query", query));
    parameters.push(("step", window.step.to_string()));
    let answer = upstream.get("loki/api/v1/query_range", &parameters).await?;
    match answer["data"]["resultType"].as_str() {
        Some("matrix") => Ok(ranges(&answer["data"]["result"], Some(window.step))),
        _ => Err("this LogQL gives log lines: ask `patterns` or `lines`, or count them with count_over_time(..[1m])".to_owned()),
    }
}

pub(super) async fn labels(
    upstream: &Upstream,
    arguments: Map<String, Value>,
) -> Result<String, String> {
    let Labels {
        label,
        selector,
        window,
    } = parsed(arguments)?;
    let window = window.window(now())?;
    let mut parameters = times(&window);
    parameters.extend(selector.map(|selector| ("query", selector)));
    let path = match &label {
        Some(label) if !is_name(label) => return Err(format!("`{label}` is no name of a label")),
        Some(label) => format!("loki/api/v1/label/{label}/values"),
        None => "loki/api/v1/labels".to_owned(),
    };
    let answer = upstream.get(&path, &parameters).await?;
    let names = answer["data"].as_array().into_iter().flatten();
    let names: Vec<String> = names
        .filter_map(Value::as_str)
        .map(|name| cut(name, 120))
        .collect();
    let head = match &label {
        Some(label) => format!("{} values of `{label}`", names.len()),
        None => format!("{} labels", names.len()),
    };
    Ok(listed(&head, &names, 100, "give a `selector`"))
}

pub(super) async fn volume(
    upstream: &Upstream,
    arguments: Map<String, Value>,
) -> Result<String, String> {
    let Volume { selector, window } = parsed(arguments)?;
    let window = window.window(now())?;
    let mut parameters = times(&window);
    parameters.push(("query", selector));
    let answer = upstream.get("loki/api/v1/index/stats", &parameters).await?;
    let number = |key: &str| answer[key].as_u64().unwrap_or_default();
    Ok(format!(
        "{} lines in {} streams, {:.1} MB, from {} to {}",
        number("entries"),
        number("streams"),
        number("bytes") as f64 / 1e6,
        clock(window.start.saturating_mul(NANOS)),
        clock(window.end.saturating_mul(NANOS)),
    ))
}

/// The newest lines of a range.
async fn read(
    upstream: &Upstream,
    query: String,
    window: &Window,
    limit: usize,
) -> Result<Value, String> {
    let mut parameters = times(window);
    parameters.push(("query", query));
    parameters.push(("limit", limit.to_string()));
    parameters.push(("direction", "backward".to_owned()));
    upstream.get("loki/api/v1/query_range", &parameters).await
}

fn times(window: &Window) -> Vec<(&'static str, String)> {
    let nanos = |seconds: i64| seconds.saturating_mul(NANOS).to_string();
    vec![("start", nanos(window.start)), ("end", nanos(window.end))]
}

/// The lines of all streams.
fn lines_of(answer: &Value) -> Result<Vec<Line<'_>>, String> {
    let data = &answer["data"];
    if data["resultType"] != "streams" {
        return Err("this LogQL gives a metric: ask `query_range`".to_owned());
    }
    let streams = data["result"].as_array().into_iter().flatten();
    let entries = streams.flat_map(|stream| stream["values"].as_array().into_iter().flatten());
    let lines = entries.filter_map(|entry| {
        let at = entry.get(0)?.as_str()?.parse().ok()?;
        let text = entry.get(1)?.as_str()?;
        Some(Line { at, text })
    });
    Ok(lines.collect())
}

/// How many lines of which time; `None`: there is none.
fn head(lines: &[Line<'_>], window: &Window, limit: usize) -> Option<String> {
    let first = lines.iter().map(|line| line.at).min()?;
    let last = lines.iter().map(|line| line.at).max()?;
    let (first, last) = (clock(first), clock(last));
    Some(if lines.len() < limit {
        format!("{} lines from {first} to {last}", lines.len())
    } else {
        format!(
            "the newest {} lines, from {first} to {last}; older ones since {}: give `end`",
            lines.len(),
            clock(window.start.saturating_mul(NANOS))
        )
    })
}

fn nothing(window: &Window) -> String {
    format!(
        "no line from {} to {}: `labels` finds what streams there are",
        clock(window.start.saturating_mul(NANOS)),
        clock(window.end.saturating_mul(NANOS))
    )
}

fn pattern_line(pattern: &Pattern<'_>) -> String {
    let level = pattern.level.map(|level| format!(" {level}"));
    let level = level.unwrap_or_default();
    let when = match pattern.count {
        1 => format!("once at {}", clock(pattern.first)),
        count => format!(
            "{count} times from {} to {}",
            clock(pattern.first),
            clock(pattern.last)
        ),
    };
    let text = pattern.text();
    match pattern.is_constant() {
        true => format!("{when}{level}: {}", cut(pattern.example, LONGEST_LINE)),
        false => format!(
            "{when}{level}: {text}\n  last: {}",
            cut(pattern.example, LONGEST_EXAMPLE)
        ),
    }
}

fn clock(nanos: i64) -> String {
    written(nanos as f64 / NANOS as f64)
}

/// A label's name has no character that would lead to another path.
fn is_name(label: &str) -> bool {
    !label.is_empty()
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_of_all_streams_are_read_and_a_metric_is_none() {
        let streams = json!({"data": {"resultType": "streams", "result": [
            {"stream": {"app": "a"}, "values": [["2000000000", "one"], ["1000000000", "two", {"traceID": "x"}]]},
            {"stream": {"app": "b"}, "values": [["1500000000", "three"], ["soon", "lost"]]},
        ]}});
        let lines = lines_of(&streams).expect("lines");
        let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
        assert_eq!(texts, ["one", "two", "three"]);
        let metric = json!({"data": {"resultType": "matrix", "result": []}});
        assert!(lines_of(&metric).is_err());
    }

    #[test]
    fn a_name_of_a_label_leads_to_no_other_path() {
        assert!(is_name("app_kubernetes_io"));
        for label in ["", "..", "a/b", "a?b", "%2e"] {
            assert!(!is_name(label), "{label}");
        }
    }
}
