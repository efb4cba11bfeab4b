//! Columns of tables that tools print: `psql`, `mysql`, `az … -o table`.

use std::sync::LazyLock;

use crate::bytes::{self, NAME};
use crate::context::Context;
use crate::data;
use crate::find::keyed;
use crate::pattern::Pattern;
use crate::word_set::WordSet;

static VALUE_KEYS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("value_key")]));

/// Longest line that is scanned, in bytes.
const LINE_BYTES: usize = 400;
/// Most rows that are scanned.
const ROWS: usize = 64;
/// Most columns that are scanned.
const COLUMNS: usize = 32;

/// Scans the table whose rule starts at `rule` and has its first joint at `joint`. The titles are above the rule.
pub(crate) fn scan(context: &mut Context<'_>, rule: usize, joint: usize) {
    let text = context.bytes;
    let stop = bytes::line_end(text, rule, LINE_BYTES);
    let line = text.get(rule..stop).unwrap_or_default();
    let drawn = line.iter().all(|b| b"-+| \r".contains(b));
    // Scan a rule only once, at its first joint.
    let before = line.get(..joint - rule).unwrap_or_default();
    if !drawn || rule == 0 || before.iter().any(|b| matches!(b, b' ')) && before.contains(&b'-') {
        return;
    }
    if before.windows(3).any(|w| w == b"-+-") {
        return;
    }
    let above = text
        .get(rule.saturating_sub(LINE_BYTES)..rule - 1)
        .unwrap_or_default();
    let titles = rule
        - 1
        - above
            .rsplit(|b| *b == b'\n')
            .next()
            .unwrap_or_default()
            .len();
    let columns = columns(line);
    let named: Vec<_> = columns
        .iter()
        .filter_map(|column| {
            let title = cell(text, titles, rule - 1, *column)?;
            let name = text.get(title.0..title.1)?;
            let value = VALUE_KEYS.has(name);
            (value || bytes::all(name, NAME)).then_some((*column, title, value))
        })
        .collect();
    let keyed = bytes::contains(text.get(titles..rule).unwrap_or_default(), b"key");
    let mut at = stop + 1;
    for _ in 0..ROWS {
        let end = bytes::line_end(text, at, LINE_BYTES);
        let row = text.get(at..end).unwrap_or_default();
        if row.trim_ascii().is_empty() || row.iter().all(|b| b"-+| \r".contains(b)) {
            return;
        }
        let first = columns
            .first()
            .and_then(|column| cell(text, at, end, *column));
        for (column, title, value) in &named {
            let Some(cell) = cell(text, at, end, *column) else {
                continue;
            };
            let pattern = if *value {
                first
                    .and_then(|name| keyed::member_is_secret(text, name, cell))
                    .or_else(|| {
                        ((keyed || has_key(text, first)) && is_key(text, cell))
                            .then_some(Pattern::HighEntropy)
                    })
            } else {
                keyed::member_is_secret(text, *title, cell)
            };
            if let Some(pattern) = pattern {
                context.claim(cell.0, cell.1, pattern);
            }
        }
        at = end + 1;
    }
}

/// Returns the positions of the columns of a rule.
fn columns(rule: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < rule.len() && found.len() < COLUMNS {
        let rest = rule.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|b| **b == b'-').count();
        if length > 0 {
            found.push((at, at + length));
        }
        at += length.max(1);
    }
    // Text in the last column is often longer than the rule.
    if let Some(last) = found
        .last_mut()
        .filter(|last| last.1 == rule.trim_ascii_end().len())
    {
        last.1 = LINE_BYTES;
    }
    found
}

/// Returns the position of a column's text on the line at `start..end`, without blanks.
fn cell(text: &[u8], start: usize, end: usize, column: (usize, usize)) -> Option<(usize, usize)> {
    let line = text.get(start..end)?;
    let bound = |at: usize| {
        at == 0
            || at >= line.len()
            || matches!(bytes::at(line, at - 1), b' ' | b'|')
            || matches!(bytes::at(line, at), b' ' | b'|' | b'\r')
    };
    let (from, to) = (column.0, column.1.min(line.len()));
    if from >= to || !bound(from) || !bound(to) {
        return None;
    }
    let value = line.get(from..to)?;
    let lead = value.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let length = value.trim_ascii().len();
    (length > 0).then_some((start + from + lead, start + from + lead + length))
}

/// Whether the cell names a key.
fn has_key(text: &[u8], cell: Option<(usize, usize)>) -> bool {
    let name = cell.and_then(|(from, to)| text.get(from..to));
    name.is_some_and(|name| bytes::contains(name, b"key"))
}

/// Whether a value next to the name of a key looks random.
fn is_key(text: &[u8], cell: (usize, usize)) -> bool {
    let value = text.get(cell.0..cell.1).unwrap_or_default();
    value.len() >= 24
        && bytes::all(value, bytes::BASE64)
        && [bytes::LOWER, bytes::UPPER, bytes::DIGIT]
            .into_iter()
            .all(|class| bytes::any(value, class))
}
