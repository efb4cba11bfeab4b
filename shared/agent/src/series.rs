//! Shortens series of metrics for a model: describes the course of each series instead of listing its points.

use serde_json::Value;
use tarsy_series::{SeriesList, Style, written};

use crate::embedded_json;
use crate::paging::{OWN_SERVER, READ_PAGE, SEARCH_RESULT};

/// Least bytes of a result that is shortened: about 500 tokens.
const LEAST: usize = 2_000;
/// Most bytes of text around the series.
const MOST_AROUND: usize = 1_500;
/// How deep in a document series are searched for.
const MOST_DEPTH: usize = 6;

/// Shortens a result that contains series to at most about a page. `None`: it contains no series, is short, or would
/// not become much shorter.
///
/// Series are recognised by their format: that of Prometheus, CloudWatch or Datadog ([`SeriesList::read`]).
///
/// If `result`, the number of the result, is given, the text explains how to read the points.
pub(crate) fn shaped(text: &str, result: Option<i32>, page_bytes: usize) -> Option<String> {
    if text.len() < LEAST || !may_have_series(text) {
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
    let mut around = vec![before, &rest, after];
    around.retain(|part| !part.is_empty());
    let around = around.join("\n");
    if around.len() > MOST_AROUND {
        return None;
    }
    let most = page_bytes.saturating_sub(around.len() + 600).max(600);
    let shaped = format!(
        "{}{}\n{around}",
        found.head(text.len(), result),
        found.series.lines(most, Style::Words)
    );
    (shaped.len() * 2 < text.len()).then(|| shaped.trim_end().to_owned())
}

/// Returns a result for the check of an answer: the shortened form is appended, so that its figures are found too.
pub(crate) fn with_shape(text: String, page_bytes: usize) -> String {
    match shaped(&text, None, page_bytes) {
        Some(shape) => format!("{text}\n{shape}"),
        None => text,
    }
}

/// Returns whether a text contains the name of a member with points.
fn may_have_series(text: &str) -> bool {
    text.contains("alues") || text.contains("pointlist")
}

/// The series of a document.
#[derive(Default)]
struct Found {
    series: SeriesList,
    /// Location of the first series, as a jq path.
    path: Option<String>,
}

impl Found {
    /// Removes the series from a value and puts a mark in their place.
    fn take(&mut self, value: &mut Value, path: &str, depth: usize) {
        if let Some(series) = SeriesList::read(value) {
            *value = Value::String(format!("{} series, see above", series.len()));
            self.series.append(series);
            self.path.get_or_insert_with(|| path.to_owned());
            return;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                    let step = match name.bytes().all(is_part) {
                        true => name.clone(),
                        false => Value::String(name.clone()).to_string(),
                    };
                    let path = format!("{}.{step}", path.trim_end_matches('.'));
                    self.take(value, &path, depth);
                }
            }
            Value::Array(items) => {
                for (at, value) in items.iter_mut().enumerate() {
                    self.take(value, &format!("{path}[{at}]"), depth);
                }
            }
            // Some servers return Prometheus's answer as a text within their own answer.
            Value::String(text) if text.len() >= LEAST && may_have_series(text) => {
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

    /// Describes the series, and how to read the points.
    fn head(&self, characters: usize, result: Option<i32>) -> String {
        let (first, last) = self.series.span();
        let how = match (result, self.path.as_deref().zip(self.series.member())) {
            (None, _) => String::new(),
            (Some(result), Some((path, member))) => format!(
                "; points: {OWN_SERVER}.{SEARCH_RESULT} {{\"result\": {result}, \"jq\": \"{path}[0].{member}[-20:]\"}}"
            ),
            (Some(result), None) => {
                format!("; points: {OWN_SERVER}.{READ_PAGE} {{\"result\": {result}, \"page\": 1}}")
            }
        };
        format!(
            "[{} series with {} points from {} to {}, in short in place of {characters} characters{how}]",
            self.series.len(),
            self.series.points(),
            written(first),
            written(last),
        )
    }
}

#[cfg(test)]
mod tests;
