//! Tokens that a terminal, an editor or an e-mail has wrapped over several lines.

use crate::bytes::{self, ALNUM, ALPHA, Class, DIGIT, UPPER};
use crate::shape;

/// Most lines over which a token continues.
const LINES: usize = 32;
/// Deepest indentation of a further line, in bytes.
const INDENT_BYTES: usize = 48;
/// Most backslashes before an escaped line break.
const SLASHES: usize = 8;
/// Shortest line that a terminal or an editor wraps, in bytes.
const LINE_BYTES: usize = 32;
/// Shortest part that is distinguished from a word, in bytes.
const PART_BYTES: usize = 8;
/// Longest line that is measured, in bytes.
const WIDE_BYTES: usize = 512;

/// Returns start and end of the next part of a token whose previous part ends at `end`. `None` if there is no line
/// break at `end`, or the next line starts with something else.
pub(crate) fn next(text: &[u8], end: usize, class: Class, most: usize) -> Option<(usize, usize)> {
    let start = after_break(text, end)?;
    let stop = bytes::run(text, start, class, most);
    // A name with its value, or a call. In base64, `=` is only at the end.
    let mut inner = text.get(start..stop)?.iter().rev().skip(2);
    let is_named = matches!(bytes::at(text, stop), b':' | b'=' | b'(') || inner.any(|b| *b == b'=');
    (stop > start && !is_named).then_some((start, stop))
}

/// Returns the position after the line break at `at` and the blanks after it. The break may be literal, escaped, or
/// after a backslash that joins shell lines.
fn after_break(text: &[u8], at: usize) -> Option<usize> {
    let escaped = |at: usize, letter: u8| {
        let rest = text.get(at..)?.iter().take(SLASHES);
        let end = at + rest.take_while(|byte| **byte == b'\\').count();
        (end > at && bytes::at(text, end) == letter).then_some(end + 1)
    };
    let returned = match bytes::at(text, at) {
        b'\r' => at + 1,
        _ => escaped(at, b'r').unwrap_or(at),
    };
    let broken = match bytes::at(text, returned) {
        b'\n' => returned + 1,
        b'\\' if bytes::at(text, returned + 1) == b'\n' => returned + 2,
        _ => escaped(returned, b'n')?,
    };
    let rest = text.get(broken..)?.iter().take(INDENT_BYTES);
    Some(broken + rest.take_while(|byte| matches!(byte, b' ' | b'\t')).count())
}

/// Whether `token` mixes letters and digits as random text does, but words on two lines do not.
pub(crate) fn is_drawn(token: &[u8]) -> bool {
    let is_mixed = bytes::all(token, ALNUM) && bytes::any(token, UPPER);
    bytes::any(token, DIGIT)
        && bytes::any(token, ALPHA)
        && (is_mixed || shape::is_random(token, 10) || shape::mixes_case(token))
}

/// Returns the end of a token that may already be whole at `end`. It extends over further lines that can only belong to
/// it. Its line must be as long as a wrapped one, and the next line must contain only a part that is as long or looks
/// random.
pub(crate) fn rest_end(
    text: &[u8],
    start: usize,
    end: usize,
    class: Class,
    is_drawn: fn(&[u8]) -> bool,
) -> usize {
    let head = text
        .get(end.saturating_sub(WIDE_BYTES)..end)
        .unwrap_or_default();
    let mut width = head.iter().rev().take_while(|b| **b != b'\n').count();
    let prefix = text.get(start..start + 4);
    let mut last = end;
    for _ in 0..LINES {
        let Some((from, to)) = next(text, last, class, width + 1) else {
            break;
        };
        let part = text.get(from..to).unwrap_or_default();
        let is_alone = matches!(
            bytes::at(text, to),
            0 | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\'
        );
        let is_other = prefix.is_some_and(|prefix| part.starts_with(prefix));
        let is_full = width >= LINE_BYTES && part.len() <= width && part.len() >= PART_BYTES;
        if !is_alone || is_other || !is_full || !(part.len() == width || is_drawn(part)) {
            break;
        }
        (last, width) = (to, width.min(part.len().max(LINE_BYTES)));
    }
    last
}

/// Returns the end of the run of `class` that starts at `start` and is followed by `mark`. The run may be wrapped over
/// several lines.
pub(crate) fn run_to(
    text: &[u8],
    start: usize,
    class: Class,
    mark: u8,
    most: usize,
) -> Option<(usize, Vec<u8>)> {
    let mut end = bytes::run(text, start, class, most);
    let mut joined = text.get(start..end)?.to_vec();
    for _ in 0..LINES {
        if bytes::at(text, end) == mark {
            return Some((end, joined));
        }
        let (from, to) = next(text, end, class, most)?;
        joined.extend_from_slice(text.get(from..to)?);
        end = to;
    }
    None
}
