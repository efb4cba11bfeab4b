//! Reads log lines, labels and volumes from Loki.
//!
//! The API: <https://grafana.com/docs/loki/latest/reference/loki-http-api/>.
//! Times in requests and answers are in nanoseconds.

use serde::Deserialize;
use serde_json::Value;
use tarsy_series::written;

use crate::answer::{cut, items, listed, ranges};
use crate::patterns::{self, Line, Pattern};
use crate::upstream::Upstream;
use crate::window::{Arguments, Window, now};

/// Maximum number of lines that are grouped. Loki itself returns at most 5,000 by default.
const GROUPED_LINES: usize = 2_000;
/// Maximum number of lines that are shown unchanged, as `tools.json` also states.
const MOST_LINES: usize = 100;
const DEFAULT_LINES: usize = 30;
/// Maximum number of patterns in an answer.
const MOST_PATTERNS: usize = 40;
/// Maximum length of a shown line, in characters.
const LONGEST_LINE: usize = 500;
const LONGEST_EXAMPLE: usize = 200;
const NANOS: i64 = 1_000_000_000;
const QUERY_RANGE: &str = "loki/api/v1/query_range";
const NARROW: &str = "add a filter such as |= \"error\", more labels, or a shorter range";

#[derive(Deserialize)]
pub(super) struct Logs {
    query: String,
    limit: Option<usize>,
    #[serde(flatten)]
    window: Arguments,
}

#[derive(Deserialize)]
pub(super) struct Labels {
    label: Option<String>,
    selector: Option<String>,
    #[serde(flatten)]
    window: Arguments,
}

#[derive(Deserialize)]
pub(super) struct Volume {
    selector: String,
    #[serde(flatten)]
    window: Arguments,
}

pub(super) async fn patterns(upstream: &Upstream, asked: Logs) -> Result<String, String> {
    let (window, answer) = read(upstream, asked, GROUPED_LINES).await?;
    let lines = lines_of(&answer)?;
    let found = patterns::patterns(&lines);
    let texts: Vec<String> = found.iter().map(pattern_line).collect();
    let head = match head(&lines, &window, GROUPED_LINES) {
        head if lines.is_empty() => head,
        head => format!("{head}: {} patterns", texts.len()),
    };
    Ok(listed(&head, &texts, MOST_PATTERNS, NARROW))
}

pub(super) async fn lines(upstream: &Upstream, asked: Logs) -> Result<String, String> {
    let limit = asked.limit.unwrap_or(DEFAULT_LINES).clamp(1, MOST_LINES);
    let (window, answer) = read(upstream, asked, limit).await?;
    let mut lines = lines_of(&answer)?;
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    let texts: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {}", clock(line.at), cut(line.text, LONGEST_LINE)))
        .collect();
    Ok(listed(&head(&lines, &window, limit), &texts, limit, NARROW))
}

pub(super) async fn range(upstream: &Upstream, asked: Logs) -> Result<String, String> {
    let window = asked.window.window(now())?;
    let mut parameters = parameters(&window, Some(asked.query));
    parameters.push(("step", window.step.to_string()));
    let answer = upstream.get(QUERY_RANGE, &parameters).await?;
    match answer["data"]["resultType"].as_str() {
        Some("matrix") => Ok(ranges(&answer["data"]["result"], Some(window.step))),
        _ => Err("this LogQL gives log lines: ask `patterns` or `lines`, or count them with count_over_time(..[1m])".to_owned()),
    }
}

pub(super) async fn labels(upstream: &Upstream, asked: Labels) -> Result<String, String> {
    let window = asked.window.window(now())?;
    let path = match &asked.label {
        Some(label) if !is_name(label) => return Err(format!("`{label}` is no name of a label")),
        Some(label) => format!("loki/api/v1/label/{label}/values"),
        None => "loki/api/v1/labels".to_owned(),
    };
    let parameters = parameters(&window, asked.selector);
    let answer = upstream.get(&path, &parameters).await?;
    let names = items(&answer["data"]).iter().filter_map(Value::as_str);
    let names: Vec<String> = names.map(|name| cut(name, 120)).collect();
    let head = match &asked.label {
        Some(label) => format!("{} values of `{label}`", names.len()),
        None => format!("{} labels", names.len()),
    };
    Ok(listed(&head, &names, 100, "give a `selector`"))
}

pub(super) async fn volume(upstream: &Upstream, asked: Volume) -> Result<String, String> {
    let window = asked.window.window(now())?;
    let parameters = parameters(&window, Some(asked.selector));
    let answer = upstream.get("loki/api/v1/index/stats", &parameters).await?;
    let number = |key: &str| answer[key].as_u64().unwrap_or_default();
    Ok(format!(
        "{} lines in {} streams, {:.1} MB, from {} to {}",
        number("entries"),
        number("streams"),
        number("bytes") as f64 / 1e6,
        written(window.start as f64),
        written(window.end as f64),
    ))
}

/// Reads the newest lines of the range.
async fn read(upstream: &Upstream, asked: Logs, limit: usize) -> Result<(Window, Value), String> {
    let window = asked.window.window(now())?;
    let mut parameters = parameters(&window, Some(asked.query));
    parameters.push(("limit", limit.to_string()));
    parameters.push(("direction", "backward".to_owned()));
    let answer = upstream.get(QUERY_RANGE, &parameters).await?;
    Ok((window, answer))
}

fn parameters(window: &Window, query: Option<String>) -> Vec<(&'static str, String)> {
    let nanos = |seconds: i64| seconds.saturating_mul(NANOS).to_string();
    let mut all = vec![("start", nanos(window.start)), ("end", nanos(window.end))];
    all.extend(query.map(|query| ("query", query)));
    all
}

/// Returns the lines of all streams. The error text is written for the model.
fn lines_of(answer: &Value) -> Result<Vec<Line<'_>>, String> {
    let data = &answer["data"];
    if data["resultType"] != "streams" {
        return Err("this LogQL gives a metric: ask `query_range`".to_owned());
    }
    let streams = items(&data["result"]).iter();
    let entries = streams.flat_map(|stream| items(&stream["values"]));
    let lines = entries.filter_map(|entry| {
        let at = entry.get(0)?.as_str()?.parse().ok()?;
        let text = entry.get(1)?.as_str()?;
        Some(Line { at, text })
    });
    Ok(lines.collect())
}

/// Writes the number of lines and the time that they cover.
fn head(lines: &[Line<'_>], window: &Window, limit: usize) -> String {
    let since = written(window.start as f64);
    let times = lines.iter().map(|line| line.at);
    let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
        let until = written(window.end as f64);
        return format!("no line from {since} to {until}: `labels` finds what streams there are");
    };
    let (number, first, last) = (lines.len(), clock(first), clock(last));
    match number < limit {
        true => format!("{number} lines from {first} to {last}"),
        false => format!(
            "the newest {number} lines, from {first} to {last}; older ones since {since}: give `end`"
        ),
    }
}

fn pattern_line(pattern: &Pattern<'_>) -> String {
    let level = pattern
        .level
        .map_or(String::new(), |level| format!(" {level}"));
    let (first, last) = (clock(pattern.first), clock(pattern.last));
    let when = match pattern.count {
        1 => format!("once at {first}"),
        count => format!("{count} times from {first} to {last}"),
    };
    let example = |most| cut(pattern.example, most);
    match pattern.is_constant() {
        true => format!("{when}{level}: {}", example(LONGEST_LINE)),
        false => {
            let (text, example) = (pattern.text(), example(LONGEST_EXAMPLE));
            format!("{when}{level}: {text}\n  last: {example}")
        }
    }
}

fn clock(nanos: i64) -> String {
    written(nanos as f64 / NANOS as f64)
}

/// Whether a label's name is safe in a path: it has no character that would lead to another path.
fn is_name(label: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !label.is_empty() && label.bytes().all(fits)
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
