//! Series of metrics, shaped for a model: how each goes, in place of its points.

mod points;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value};

use self::points::{Points, short};
use crate::embedded_json;
use crate::paging::{OWN_SERVER, READ_PAGE, SEARCH_RESULT};

/// Least bytes of a result that is shaped: about 500 tokens.
const LEAST: usize = 2_000;
/// Most bytes of what stands around the series.
const MOST_AROUND: usize = 1_500;
/// How deep in a document series are looked for.
const MOST_DEPTH: usize = 6;

/// A result of series in few words, at most about a page; `None`: it is none, is short, or would not become much shorter.
///
/// What is a series is seen by its form, which is that of Prometheus: a list of `{"metric": {..}, "values": [[time, value], ..]}`.
///
/// With the number of the result the model is told how to see the points.
pub(crate) fn shaped(text: &str, result: Option<i32>, page_bytes: usize) -> Option<String> {
    if text.len() < LEAST || !text.contains("values") {
        return None;
    }
    let (mut document, place) = embedded_json::find(text)?;
    let mut found = Found::default();
    found.take(&mut document, ".", MOST_DEPTH);
    if found.series.is_empty() {
        return None;
    }
    let (before, after) = (text[..place.start].trim(), text[place.end..].trim());
    let rest = match &document {
        Value::String(_) => String::new(),
        rest => rest.to_string(),
    };
    let around: Vec<&str> = [before, &rest, after]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let around = around.join("\n");
    if around.len() > MOST_AROUND {
        return None;
    }
    let most = page_bytes.saturating_sub(around.len() + 600).max(600);
    let shaped = format!(
        "{}{}\n{around}",
        found.head(text.len(), result),
        found.lines(most)
    );
    (shaped.len() * 2 < text.len()).then(|| shaped.trim_end().to_owned())
}

/// A result as a check of an answer reads it: its shape stands behind it, so that figures of the shape are found as well.
pub(crate) fn with_shape(text: String, page_bytes: usize) -> String {
    match shaped(&text, None, page_bytes) {
        Some(shape) => format!("{text}\n{shape}"),
        None => text,
    }
}

/// The series of a document.
#[derive(Default)]
struct Found {
    series: Vec<Series>,
    /// Where the first ones are, as a path of jq.
    path: Option<String>,
}

struct Series {
    labels: Map<String, Value>,
    points: Points,
}

impl Found {
    /// Takes the series out of a value; a mark stands in their place.
    fn take(&mut self, value: &mut Value, path: &str, depth: usize) {
        if let Some(series) = series_of(value) {
            *value = Value::String(format!("{} series, see above", series.len()));
            self.series.extend(series);
            self.path.get_or_insert_with(|| path.to_owned());
            return;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let is_plain = name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    let step = match is_plain {
                        true => name.clone(),
                        false => Value::String(name.clone()).to_string(),
                    };
                    self.take(
                        value,
                        &format!("{}.{step}", path.trim_end_matches('.')),
                        depth,
                    );
                }
            }
            Value::Array(items) => {
                for (at, value) in items.iter_mut().enumerate() {
                    self.take(value, &format!("{path}[{at}]"), depth);
                }
            }
            // Some servers give the answer of Prometheus as a text within their own.
            Value::String(text) if text.len() >= LEAST && text.contains("values") => {
                if let Ok(mut inner) = serde_json::from_str::<Value>(text) {
                    let count = self.series.len();
                    let known = self.path.take();
                    self.take(&mut inner, path, depth);
                    // No path leads into a text.
                    self.path = known;
                    if self.series.len() > count {
                        *value = inner;
                    }
                }
            }
            _ => {}
        }
    }

    /// What this is, and how to see the points.
    fn head(&self, characters: usize, result: Option<i32>) -> String {
        let points: usize = self.series.iter().map(|one| one.points.len()).sum();
        let all = self.series.iter().map(|one| &one.points);
        let first = all
            .clone()
            .map(Points::first_time)
            .fold(f64::INFINITY, f64::min);
        let last = all.map(Points::last_time).fold(f64::NEG_INFINITY, f64::max);
        let how = match (result, &self.path) {
            (None, _) => String::new(),
            (Some(result), Some(path)) => format!(
                "; points: {OWN_SERVER}.{SEARCH_RESULT} {{\"result\": {result}, \"jq\": \"{path}[0].values[-20:]\"}}"
            ),
            (Some(result), None) => {
                format!("; points: {OWN_SERVER}.{READ_PAGE} {{\"result\": {result}, \"page\": 1}}")
            }
        };
        format!(
            "[{} series with {points} points from {} to {}, in short in place of {characters} characters{how}]",
            self.series.len(),
            written(first),
            written(last),
        )
    }

    /// A line for each series, those that change most where not all fit.
    fn lines(&self, most: usize) -> String {
        let common = self.common_labels();
        let mut text = String::new();
        if !common.is_empty() {
            text.push_str(&format!("\nall: {}", labels(&common)));
        }
        let lines: Vec<String> = self.series.iter().map(|one| one.line(&common)).collect();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by(|one, other| {
            let change = |at: &usize| self.series[*at].points.change();
            change(other).total_cmp(&change(one))
        });
        let mut left = most.saturating_sub(text.len());
        let mut kept: Vec<usize> = order
            .iter()
            .copied()
            .take_while(|at| {
                let size = lines[*at].len();
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            })
            .collect();
        let left_out = &order[kept.len()..];
        kept.sort_unstable();
        for at in kept {
            text.push_str(&lines[at]);
        }
        if !left_out.is_empty() {
            let ends = left_out
                .iter()
                .filter_map(|at| self.series[*at].points.ends());
            let (low, high) = ends.fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(low, high), (min, max)| (low.min(min), high.max(max)),
            );
            text.push_str(&format!(
                "\n[{} series that change less are left out; their values are {} to {}. Narrow the query to see them]",
                left_out.len(),
                short(low),
                short(high)
            ));
        }
        text
    }

    /// Labels that all series share.
    fn common_labels(&self) -> Map<String, Value> {
        let [first, others @ ..] = self.series.as_slice() else {
            return Map::new();
        };
        if others.is_empty() {
            return Map::new();
        }
        let mut common = first.labels.clone();
        common.retain(|name, value| {
            others
                .iter()
                .all(|one| one.labels.get(name) == Some(&*value))
        });
        common
    }
}

impl Series {
    fn line(&self, common: &Map<String, Value>) -> String {
        let mut own = self.labels.clone();
        own.retain(|name, _| !common.contains_key(name));
        format!("\n- {}: {}", labels(&own), self.points.text())
    }
}

/// The series that a value is a list of.
fn series_of(value: &Value) -> Option<Vec<Series>> {
    let items = value.as_array().filter(|items| !items.is_empty())?;
    let series = items.iter().map(|item| {
        let labels = item.get("metric")?.as_object()?.clone();
        let points = Points::read(item.get("values")?.as_array()?)?;
        Some(Series { labels, points })
    });
    series.collect()
}

/// `up{job="a"}`
fn labels(labels: &Map<String, Value>) -> String {
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

/// A time in seconds since 1970, as people read it.
fn written(seconds: f64) -> String {
    let millis = (seconds * 1e3) as i64;
    let time = DateTime::from_timestamp_millis(millis);
    time.map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(SecondsFormat::Secs, true),
    )
}

#[cfg(test)]
mod tests;
