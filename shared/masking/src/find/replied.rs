//! Values on the lines below their names: replies of Redis and etcd, fields of forms, and output of commands.

use crate::bytes::{self, DIGIT, NAME, SLASH};
use crate::candidate::Sep;

/// Longest line that is scanned, in bytes.
const LINE_BYTES: usize = 400;

/// Finds the value below the name at `start..end`, whose quotes are closed at `closed`. Returns how it is joined and
/// where it starts.
pub(crate) fn value(text: &[u8], start: usize, end: usize, closed: usize) -> Option<(Sep, usize)> {
    if !matches!(bytes::at(text, closed), b'\n' | b'\r' | b' ') {
        return None;
    }
    let line = text.get(start.saturating_sub(LINE_BYTES)..start)?;
    let line = line.rsplit(|b| *b == b'\n').next()?;
    let below = bytes::line_end(text, closed, LINE_BYTES) + 1;
    if closed > end {
        reply(text, line, closed)
            .map(|at| (Sep::Equals, at))
            .or_else(|| field(text, line, below).map(|at| (Sep::Equals, at)))
    } else if closed + 1 == below || bytes::at(text, closed) == b'\r' {
        entry(text, line, below).map(|at| (Sep::Prose, at))
    } else {
        None
    }
}

/// Finds the value in `Your new password:` above a line of one word, with nothing else around it.
pub(crate) fn titled(text: &[u8], start: usize, closed: usize) -> Option<usize> {
    if bytes::at(text, closed) != b':' || !matches!(bytes::at(text, closed + 1), b'\n' | b'\r') {
        return None;
    }
    let line = text.get(start.saturating_sub(LINE_BYTES)..start)?;
    let line = line.rsplit(|b| *b == b'\n').next()?;
    let rest = text.get(closed + 1..)?;
    let gap = rest
        .iter()
        .take(120)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let at = closed + 1 + gap;
    let word = text
        .get(at..bytes::line_end(text, at, LINE_BYTES))?
        .trim_ascii_end();
    let after = text.get(at + word.len()..)?;
    let alone = after.trim_ascii_start().is_empty()
        || after
            .strip_prefix(b"\r")
            .unwrap_or(after)
            .starts_with(b"\n\n")
        || after.starts_with(b"\r\n\r\n");
    let is_title = line
        .trim_ascii()
        .iter()
        .all(|b| bytes::is(*b, NAME | bytes::SPACE));
    (is_title && alone && !word.is_empty() && !word.iter().any(u8::is_ascii_whitespace))
        .then_some(at)
}

/// Finds the value in `1) "password"` above `2) "…"`.
fn reply(text: &[u8], line: &[u8], closed: usize) -> Option<usize> {
    let number = number(line.trim_ascii_start().strip_suffix(b"\"")?)?;
    let from = bytes::line_end(text, closed, 2) + 1;
    let rest = text.get(from..)?;
    let rest = rest.get(..32).unwrap_or(rest);
    let gap = rest.iter().take_while(|b| **b == b' ').count();
    let digits = bytes::run(rest, gap, DIGIT, 8);
    let next = self::number(rest.get(gap..digits + 2)?)?;
    let quoted = bytes::at(rest, digits + 2) == b'"';
    (number % 2 == 1 && next == number + 1 && quoted).then_some(from + digits + 2)
}

/// Returns the number in `7) `.
fn number(mark: &[u8]) -> Option<u32> {
    let digits = mark.strip_suffix(b" ").unwrap_or(mark).strip_suffix(b")")?;
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Finds the value in `Content-Disposition: form-data; name="password"`, an empty line, and the value.
fn field(text: &[u8], line: &[u8], below: usize) -> Option<usize> {
    let form = bytes::contains(line, b"form-data") && line.ends_with(b"name=\"");
    let empty = text.get(below..bytes::line_end(text, below, 4))?;
    (form && empty.trim_ascii().is_empty()).then(|| bytes::line_end(text, below, 4) + 1)
}

/// Finds the value in `/shop/db/password` and one word below it. The word ends the text or is above the next such path.
fn entry(text: &[u8], line: &[u8], below: usize) -> Option<usize> {
    let path = line.starts_with(b"/") && bytes::all(line, NAME | SLASH);
    let stop = bytes::line_end(text, below, LINE_BYTES);
    let value = text.get(below..stop)?;
    let word = !value.is_empty() && !value.iter().any(|b| b.is_ascii_whitespace() || *b == b'/');
    let next = bytes::at(text, stop + 1);
    let depth = line.iter().filter(|b| **b == b'/').count();
    (path && depth > 1 && word && matches!(next, 0 | b'/')).then_some(below)
}
