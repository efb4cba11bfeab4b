//! Tokens that a terminal, an editor or an e-mail has broken over lines.

use crate::bytes::{self, ALNUM, ALPHA, Class, DIGIT, UPPER};
use crate::shape;

/// How many lines a token goes on for.
const LINES: usize = 32;
/// The deepest indentation of a further line, in bytes.
const INDENT_BYTES: usize = 48;
/// Backslashes before an escaped line break.
const SLASHES: usize = 8;
/// The shortest line that a terminal or an editor breaks, in bytes.
const LINE_BYTES: usize = 32;
/// The shortest part that is told from a word, in bytes.
const PART_BYTES: usize = 8;
/// The longest line that is measured, in bytes.
const WIDE_BYTES: usize = 512;

/// Where the part of a token that ends with its line at `end` goes on, and up to where; `None` if the line goes on, or the
/// next starts with something else.
pub(crate) fn next(text: &[u8], end: usize, class: Class, most: usize) -> Option<(usize, usize)> {
    let start = behind_break(text, end)?;
    let stop = bytes::run(text, start, class, most);
    // A name with its value, a call; `=` ends base64.
    let mut inner = text.get(start..stop)?.iter().rev().skip(2);
    let is_named = matches!(bytes::at(text, stop), b':' | b'=' | b'(') || inner.any(|b| *b == b'=');
    (stop > start && !is_named).then_some((start, stop))
}

/// After the line break at `at`, written as such, escaped, or after the backslash that joins lines of a shell, and the
/// blanks that the next line starts with.
fn behind_break(text: &[u8], at: usize) -> Option<usize> {
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

/// Whether `token` mixes letters and digits as what is drawn does, and words on two lines do not.
pub(crate) fn is_drawn(token: &[u8]) -> bool {
    let is_mixed = bytes::all(token, ALNUM) && bytes::any(token, UPPER);
    bytes::any(token, DIGIT)
        && bytes::any(token, ALPHA)
        && (is_mixed || shape::is_random(token, 10) || shape::mixes_case(token))
}

/// The end of a token that is whole at `end` already, if what follows on further lines can only be more of it: the line is
/// as long as one that is broken, and the next holds nothing but a part that is as long or drawn at random.
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

/// The end of the run of `class` from `start`, over as many lines as it fills, that is followed by `mark`.
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
