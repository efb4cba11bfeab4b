//! Tables with bars between their cells: Markdown, `mysql`, `openstack`, box-drawing characters.

use crate::bytes::{self, ALNUM, ALPHA, NAME};
use crate::context::Context;
use crate::find::keyed;

/// Longest line that is scanned, in bytes.
const LINE_BYTES: usize = 400;
/// Longest distance between a name and the bar at the start of its cell, in bytes.
const TITLE_BYTES: usize = 64;
/// Most rows that are scanned.
const ROWS: usize = 64;
/// Most columns that are scanned.
const COLUMNS: usize = 24;

/// Start and end of a cell's text.
type Cell = (usize, usize);

/// Scans the cells below or to the right of the cell that contains the name at `at`.
pub(crate) fn scan(context: &mut Context<'_>, at: usize) {
    let text = context.bytes;
    if at < context.bars {
        return;
    }
    // Most names are not in a cell, so do the cheap check first.
    let mark = |b: &&u8| bytes::is(**b, bytes::DOTTED) || matches!(b, b' ' | b'`' | b'*');
    let before = text.get(at.saturating_sub(TITLE_BYTES)..at);
    let before = before.unwrap_or_default().iter().rev().find(|b| !mark(b));
    if !before.is_some_and(|b| *b == b'|' || *b >= 128) {
        return;
    }
    let head = text.get(at.saturating_sub(LINE_BYTES)..at);
    let head = head.unwrap_or_default().rsplit(|b| *b == b'\n').next();
    let head = head.unwrap_or_default();
    let Some(mark) = bar_of(head) else {
        return;
    };
    let start = at - head.len();
    let stop = bytes::line_end(text, at, LINE_BYTES);
    let cells = cells(text, start, stop, mark);
    let Some(index) = cells.iter().position(|cell| cell.0 <= at && at < cell.1) else {
        return;
    };
    let Some(title) = cells.get(index).and_then(|cell| title(text, *cell)) else {
        return;
    };
    let below = bytes::line_end(text, stop + 1, LINE_BYTES) + 1;
    let rows = text.get(below..bytes::line_end(text, below, LINE_BYTES));
    let is_head = is_rule(text, stop + 1) && bar_of(rows.unwrap_or_default()) == Some(mark);
    if !is_head {
        if let [_, value] = cells.as_slice()
            && index == 0
        {
            claim(context, title, *value);
        }
        return;
    }
    // Scan all columns at once. So the rows below a line of many names are scanned only once.
    let titles: Vec<_> = cells.iter().map(|cell| self::title(text, *cell)).collect();
    let mut row = stop + 1;
    for _ in 0..ROWS {
        let end = bytes::line_end(text, row, LINE_BYTES);
        if !is_rule(text, row) {
            let values = self::cells(text, row, end, mark);
            if values.len() != cells.len() {
                break;
            }
            for (title, value) in titles.iter().zip(values) {
                if let Some(title) = title {
                    claim(context, *title, value);
                }
            }
        }
        row = end + 1;
    }
    context.bars = row;
}

/// Returns the bar with which `line` begins.
fn bar_of(line: &[u8]) -> Option<&'static [u8]> {
    let line = line.trim_ascii_start();
    let bars: [&'static [u8]; 3] = [b"|", "│".as_bytes(), "┃".as_bytes()];
    bars.into_iter().find(|bar| line.starts_with(bar))
}

/// Returns the cells of the line at `start..end`, without surrounding blanks, quotes and marks.
fn cells(text: &[u8], start: usize, end: usize, bar: &[u8]) -> Vec<Cell> {
    let line = text.get(start..end).unwrap_or_default();
    let mut found = Vec::new();
    let mut bars = memchr::memmem::find_iter(line, bar).peekable();
    if line.trim_ascii_start().strip_prefix(bar).is_none() {
        return found;
    }
    while let Some(from) = bars.next() {
        let from = start + from + bar.len();
        let to = bars.peek().map_or(end, |to| start + to);
        let inner = text.get(from..to).unwrap_or_default();
        // The line ends after its last bar.
        if to == end && inner.trim_ascii().is_empty() || found.len() > COLUMNS {
            break;
        }
        let mark = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'`' | b'*');
        let lead = inner.iter().take_while(|b| mark(b)).count();
        let tail = inner.iter().rev().take_while(|b| mark(b)).count();
        found.push((from + lead.min(inner.len()), (to - tail).max(from + lead)));
    }
    found
}

/// Returns the position of the last word of a cell, if the cell contains only a few words of a name.
fn title(text: &[u8], cell: Cell) -> Option<Cell> {
    let title = text.get(cell.0..cell.1)?;
    let plain = title.iter().all(|b| bytes::is(*b, NAME) || *b == b' ');
    let few = title.split(|b| *b == b' ').count() <= 3;
    let from = bytes::run_back(text, cell.1, NAME, title.len());
    (plain && few).then_some((from, cell.1))
}

/// Claims a cell for its title. A cell of only letters is a state or a type and is not claimed.
fn claim(context: &mut Context<'_>, title: Cell, cell: Cell) {
    let text = context.bytes;
    let value = text.get(cell.0..cell.1).unwrap_or_default();
    if bytes::all(value, ALPHA) || !bytes::any(value, ALNUM) {
        return;
    }
    if let Some(pattern) = keyed::member_is_secret(text, title, cell) {
        context.claim(cell.0, cell.1, pattern);
    }
}

/// Whether the line at `at` is a rule between rows.
fn is_rule(text: &[u8], at: usize) -> bool {
    let line = text.get(at..bytes::line_end(text, at, LINE_BYTES));
    let line = line.unwrap_or_default().trim_ascii();
    line.len() >= 3
        && line
            .iter()
            .all(|b| matches!(b, b'-' | b'+' | b'|' | b'=' | b':' | b' ') || *b >= 128)
}
