//! Helpers of both servers that write answers.

use serde_json::Value;
use tarsy_series::{SeriesList, Style, written};

/// Maximum size of an answer in bytes: about 3,000 tokens.
pub(crate) const MOST_BYTES: usize = 12_000;

/// Returns the items of a list; none if the value is not a list.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Writes a head and as many lines as fit, at most `most`. If lines are left out, `narrow` describes how to see them.
pub(crate) fn listed(head: &str, lines: &[String], most: usize, narrow: &str) -> String {
    let mut text = head.to_owned();
    for (shown, line) in lines.iter().enumerate() {
        if shown == most || text.len() + line.len() > MOST_BYTES {
            text.push_str(&format!("\n[{} more: {narrow}]", lines.len() - shown));
            break;
        }
        text.push_str("\n- ");
        text.push_str(line);
    }
    text
}

/// Summarises a range of metrics, one line per series. `step` is the time between two points in seconds, if it is
/// known.
pub(crate) fn ranges(result: &Value, step: Option<i64>) -> String {
    let Some(series) = SeriesList::read(result) else {
        return "no series in this range".to_owned();
    };
    let (first, last) = series.span();
    let step = step.map(|step| format!(", a point each {step} s"));
    let head = format!(
        "{} series with {} points from {} to {}{}",
        series.len(),
        series.points(),
        written(first),
        written(last),
        step.unwrap_or_default(),
    );
    format!("{head}{}", series.lines(MOST_BYTES, Style::Sparkline))
}

/// Whether each word of a search occurs in any of the texts. Case is ignored.
pub(crate) fn has_words(search: Option<&str>, texts: &[&str]) -> bool {
    let all = texts.join("\n").to_lowercase();
    let mut words = search.unwrap_or_default().split_whitespace();
    words.all(|word| all.contains(&word.to_lowercase()))
}

/// Shortens a text to at most `most` characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
