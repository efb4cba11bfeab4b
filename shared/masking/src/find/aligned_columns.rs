//! Rows below a line of titles, with only blanks or tabs between columns: output of command-line tools, and
//! `chap-secrets`.

use crate::bytes::{self, ALNUM, ALPHA, NAME};
use crate::context::Context;
use crate::find::keyed;
use crate::pattern::Pattern;

/// Longest line that is scanned, in bytes.
const LINE_BYTES: usize = 400;
/// Longest title, in bytes.
const TITLE_BYTES: usize = 24;
/// Most rows that are scanned.
const ROWS: usize = 64;
/// Most columns that are scanned.
const COLUMNS: usize = 16;

/// Bytes of titles and of the blanks between them.
const TITLE: bytes::Class = ALNUM | bytes::SPACE | bytes::UNDERSCORE | bytes::DASH | bytes::SLASH;

/// Start and end of a cell's text.
type Cell = (usize, usize);

/// Scans the rows below the line that contains the name at `at`, if it is a line of titles.
pub(crate) fn scan(context: &mut Context<'_>, at: usize) {
    let text = context.bytes;
    let end = bytes::run(text, at, NAME, TITLE_BYTES);
    if at < context.rows || !matches!(bytes::at(text, end), b' ' | b'\t' | b'\n' | b'\r') {
        return;
    }
    let head = text.get(at.saturating_sub(LINE_BYTES)..at);
    let head = head.unwrap_or_default().rsplit(|b| *b == b'\n').next();
    let start = at - head.unwrap_or_default().len();
    let stop = bytes::line_end(text, at, LINE_BYTES);
    // `# client  server  secret` in files that have no titles otherwise.
    let mark = usize::from(bytes::at(text, start) == b'#');
    // Most lines are not lines of titles, so check only the first cell at first.
    let first = bytes::blanks_end(text, start + mark);
    let end = first
        + bytes::run(
            text.get(first..stop).unwrap_or_default(),
            0,
            TITLE,
            TITLE_BYTES + 2,
        );
    let first = text.get(first..end).unwrap_or_default();
    let parted =
        matches!(bytes::at(text, end), b'\t' | b'\r') || first.windows(2).any(|w| w == b"  ");
    if !parted {
        return;
    }
    let titles = cells(text, start + mark, stop, false);
    if !(3..=COLUMNS).contains(&titles.len())
        || !titles.iter().all(|title| is_title(text, *title))
        || stop >= text.len()
    {
        return;
    }
    let named: Vec<_> = titles
        .iter()
        .enumerate()
        .filter(|(_, title)| title.1 > title.0)
        .collect();
    let mut row = stop + 1;
    for _ in 0..ROWS {
        let end = bytes::line_end(text, row, LINE_BYTES);
        let line = text.get(row..end).unwrap_or_default();
        if line.trim_ascii().is_empty() {
            break;
        }
        let wide = cells(text, row, end, false);
        let narrow = cells(text, row, end, true);
        for (index, title) in &named {
            let offset = title.0 - start;
            // Use the cells if the row has one per title. Otherwise use the cell that begins directly below its title.
            let cell = if wide.len() == titles.len() {
                wide.get(*index)
            } else if wide.len() > 1 && wide.iter().any(|cell| cell.0 == row + offset) {
                wide.iter().find(|cell| cell.0 == row + offset)
            } else if narrow.len() == titles.len() {
                narrow.get(*index)
            } else {
                None
            };
            if let Some(cell) = cell {
                claim(context, **title, *cell, mark > 0);
            }
        }
        row = end + 1;
    }
    context.rows = row;
}

/// Claims a cell for its title. A cell of only letters is a state and is not claimed.
fn claim(context: &mut Context<'_>, title: Cell, cell: Cell, marked: bool) {
    let text = context.bytes;
    let value = text.get(cell.0..cell.1).unwrap_or_default();
    let quoted = value.len() >= 2 && matches!(value, [b'"', .., b'"'] | [b'\'', .., b'\'']);
    let inset = usize::from(quoted);
    let cell = (cell.0 + inset, cell.1 - inset);
    if !quoted && bytes::all(value, ALPHA) {
        return;
    }
    // In a title of several names, the last word decides.
    let name = (bytes::run_back(text, title.1, NAME, TITLE_BYTES), title.1);
    if let Some(pattern) = keyed::member_is_secret(text, name, cell) {
        context.claim(cell.0, cell.1, pattern);
    } else if marked && bytes::has_at(text, name.0, b"secret ") {
        // In `chap-secrets`, people choose the secrets, so they need not look random.
        let value = text.get(cell.0..cell.1).unwrap_or_default();
        if value.len() >= 4 && bytes::any(value, bytes::DIGIT) {
            context.claim(cell.0, cell.1, Pattern::Secret);
        }
    }
}

/// Whether the cell is a title: up to three words of letters.
fn is_title(text: &[u8], cell: Cell) -> bool {
    let title = text.get(cell.0..cell.1).unwrap_or_default();
    title.len() <= TITLE_BYTES
        && bytes::is(bytes::at(title, 0), ALPHA)
        && title
            .iter()
            .all(|b| bytes::is(*b, ALNUM) || matches!(b, b' ' | b'_' | b'-' | b'/' | b'(' | b')'))
        && title.split(|b| *b == b' ').count() <= 3
}

/// Returns the texts of the line at `start..end` that are separated by two blanks or a tab. With `narrow`, one blank
/// separates, too. Text in quotes is one cell.
fn cells(text: &[u8], start: usize, end: usize, narrow: bool) -> Vec<Cell> {
    let mut found = Vec::new();
    let mut at = start;
    while at < end && found.len() <= COLUMNS {
        if matches!(bytes::at(text, at), b' ' | b'\t' | b'\r') {
            at += 1;
            continue;
        }
        let from = at;
        let quote = bytes::at(text, from);
        let closed = matches!(quote, b'"' | b'\'').then(|| {
            let rest = text.get(from + 1..end).unwrap_or_default();
            rest.iter().position(|b| *b == quote)
        });
        if let Some(length) = closed.flatten() {
            at = from + length + 2;
        }
        while at < end {
            let (byte, next) = (bytes::at(text, at), bytes::at(text, at + 1));
            let gap = match byte {
                b'\t' | b'\r' => true,
                b' ' => narrow || at + 1 >= end || matches!(next, b' ' | b'\t'),
                _ => false,
            };
            if gap {
                break;
            }
            at += 1;
        }
        found.push((from, at));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, narrow: bool) -> Vec<&str> {
        let cells = cells(line.as_bytes(), 0, line.len(), narrow);
        cells.iter().map(|(from, to)| &line[*from..*to]).collect()
    }

    #[test]
    fn a_line_is_parted_at_wide_gaps() {
        assert_eq!(
            shown("NAME   LAST SEEN\tTOKEN", false),
            ["NAME", "LAST SEEN", "TOKEN"]
        );
        assert_eq!(
            shown("\"a b\" * \"c  d\"  *", true),
            ["\"a b\"", "*", "\"c  d\"", "*"]
        );
    }
}
