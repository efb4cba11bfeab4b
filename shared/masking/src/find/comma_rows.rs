//! Rows of values below a line of names, separated by commas, tabs or semicolons.

use crate::bytes::{self, NAME};
use crate::context::Context;
use crate::find::keyed;

/// Longest line that is scanned, in bytes.
const LINE_BYTES: usize = 400;
/// Most rows that are scanned.
const ROWS: usize = 64;
/// Most columns that are scanned.
const COLUMNS: usize = 24;

/// Scans the rows below the line that contains the name at `at`, if it is a line of names.
pub(crate) fn scan(context: &mut Context<'_>, at: usize) {
    let text = context.bytes;
    let next = bytes::at(text, bytes::run(text, at, NAME, LINE_BYTES));
    let before = bytes::before(text, bytes::run_back(text, at, NAME, LINE_BYTES));
    let between = |byte: u8| matches!(byte, b',' | b';' | b'\t');
    let mark = if between(next) { next } else { before };
    if at < context.rows || !between(mark) || !matches!(next, b',' | b';' | b'\t' | b'\n' | b'\r') {
        return;
    }
    let head = text.get(at.saturating_sub(LINE_BYTES)..at);
    let head = head.unwrap_or_default().rsplit(|b| *b == b'\n').next();
    let start = at - head.unwrap_or_default().len();
    let stop = bytes::line_end(text, at, LINE_BYTES);
    let names = fields(text, start, stop, mark);
    let named = |(from, to): &(usize, usize)| {
        let name = text.get(*from..*to).unwrap_or_default();
        bytes::is(bytes::at(name, 0), bytes::ALPHA) && bytes::all(name, NAME)
    };
    let least = if mark == b'\t' { 3 } else { 2 };
    if !(least..=COLUMNS).contains(&names.len()) || !names.iter().all(named) {
        return;
    }
    // Titles are only on the first line of a table.
    let above = text.get(start.saturating_sub(LINE_BYTES)..start.saturating_sub(1));
    let above = above.unwrap_or_default().rsplit(|b| *b == b'\n').next();
    let above = above.unwrap_or_default();
    if above.iter().filter(|b| **b == mark).count() + 1 == names.len() {
        return;
    }
    let mut row = stop + 1;
    for _ in 0..ROWS {
        let end = bytes::line_end(text, row, LINE_BYTES);
        let values = fields(text, row, end, mark);
        if values.len() != names.len() {
            break;
        }
        for (name, value) in names.iter().zip(values) {
            if let Some(pattern) = keyed::member_is_secret(text, *name, value) {
                context.claim(value.0, value.1, pattern);
            }
        }
        row = end + 1;
    }
    context.rows = row;
}

/// Returns the fields of the line at `start..end`, without their quotes. A quoted field may contain the separator.
fn fields(text: &[u8], start: usize, end: usize, mark: u8) -> Vec<(usize, usize)> {
    let line = text.get(start..end).unwrap_or_default();
    let stop = start + line.trim_ascii_end().len();
    let mut found = Vec::new();
    let mut at = start;
    while found.len() <= COLUMNS {
        let rest = text.get(at..stop).unwrap_or_default();
        if let Some(length) = quoted(rest, mark) {
            found.push((at + 1, at + 1 + length));
            at += length + 2;
        } else {
            let length = rest.iter().position(|b| *b == mark);
            let length = length.unwrap_or(rest.len());
            found.push((at, at + length));
            at += length;
        }
        if at >= stop {
            // A line that ends with a separator has an empty field after it.
            break;
        }
        at += 1;
        if at == stop {
            found.push((at, at));
            break;
        }
    }
    found
}

/// Returns the length of the quoted text at the start of `field`, if a separator or the end follows it. A double quote
/// in the text is written twice.
fn quoted(field: &[u8], mark: u8) -> Option<usize> {
    let inner = field.strip_prefix(b"\"")?;
    let mut at = 0;
    while at < inner.len() {
        match (bytes::at(inner, at), inner.get(at + 1)) {
            (b'"', Some(b'"')) => at += 2,
            (b'"', None) => return Some(at),
            (b'"', Some(next)) => return (*next == mark).then_some(at),
            _ => at += 1,
        }
    }
    None
}
