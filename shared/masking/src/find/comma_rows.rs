//! Rows of values below a line of names, with commas, tabs or semicolons between.

use crate::bytes::{self, NAME};
use crate::context::Context;
use crate::find::keyed;

/// The longest line that is looked at, in bytes.
const LINE_BYTES: usize = 400;
/// The most rows that are looked at.
const ROWS: usize = 64;
/// The most columns that are looked at.
const COLUMNS: usize = 24;

/// Looks at the rows below the line around the name at `at`, if that is a line of names.
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
    // Titles are the first line of a table.
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

/// The fields of the line at `start..end`, without their quotes.
fn fields(text: &[u8], start: usize, end: usize, mark: u8) -> Vec<(usize, usize)> {
    let line = text.get(start..end).unwrap_or_default().trim_ascii_end();
    let mut at = start;
    line.split(|b| *b == mark)
        .take(COLUMNS + 1)
        .map(|field| {
            let quoted = field.len() >= 2 && field.starts_with(b"\"") && field.ends_with(b"\"");
            let inset = usize::from(quoted);
            let found = (at + inset, at + field.len() - inset);
            at += field.len() + 1;
            found
        })
        .collect()
}
