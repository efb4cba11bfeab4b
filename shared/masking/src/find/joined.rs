//! Values that are joined to a name without a separator: flags, pairs of `name` and `value`, comparisons, and
//! expressions that end with a literal.

use std::sync::LazyLock;

use crate::bytes::{self, ALPHA};
use crate::candidate::{Sep, blanks, closers};
use crate::data;
use crate::word_set::Substrings;

/// Texts before a name whose value follows without a separator.
static FLAGGED: LazyLock<Substrings> = LazyLock::new(|| Substrings::new(data::values("flagged")));

/// Returns the position of the default literal in `name = environment || "value"`.
pub(crate) fn fallback(text: &[u8], from: usize) -> Option<usize> {
    let line = text.get(from..bytes::line_end(text, from, 120))?;
    if !bytes::is(*line.first()?, ALPHA | bytes::DOLLAR) {
        return None;
    }
    // Most values contain no blank.
    line.contains(&b' ').then_some(())?;
    let value = [&b" || "[..], b" ?? ", b" or ", b" ?: "]
        .iter()
        .find_map(|operator| {
            let at = line.windows(operator.len()).position(|w| w == *operator)?;
            Some(from + at + operator.len())
        })?;
    matches!(bytes::at(text, value), b'"' | b'\'' | b'`').then_some(value)
}

/// Whether the name is a command-line flag, or at a place where netrc, Redis and Docker files have such names.
pub(crate) fn is_flag(text: &[u8], start: usize) -> bool {
    let dashed = bytes::at(text, start) == b'-';
    if dashed {
        return matches!(
            bytes::before(text, start),
            0 | b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'[' | b'=' | b'`'
        );
    }
    let from = start.saturating_sub(80);
    let line = text.get(from..start).unwrap_or_default();
    let line = line.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let here = text.get(start..start + 12).unwrap_or_default();
    // A netrc file with one word per line.
    let netrc = || {
        let above = text
            .get(start.saturating_sub(240)..start)
            .unwrap_or_default();
        line.trim_ascii().is_empty()
            && bytes::contains(above, b"machine ")
            && bytes::contains(above, b"login ")
    };
    FLAGGED.found(line) || here.eq_ignore_ascii_case(b"requirepass ") || netrc()
}

/// Finds the value in `name: DB_PASSWORD` followed by `value: …`, in YAML, JSON, XML attributes and their escaped
/// forms.
pub(crate) fn pair_value(
    text: &[u8],
    start: usize,
    closed: usize,
    quoted: bool,
) -> Option<(Sep, usize)> {
    const GAP: &[u8] = b" \t\r\n,\\\"'n;";
    let skip = |from: usize, most: usize, set: &[u8]| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest
            .iter()
            .take(most)
            .take_while(|b| set.contains(b))
            .count()
    };
    if !matches!(
        bytes::at(text, closed),
        b' ' | b'\t' | b'\r' | b'\n' | b',' | b'\\' | b';'
    ) {
        return None;
    }
    let word = skip(closed, 48, GAP);
    if word == closed || !bytes::has_at(text, word, b"value") {
        return None;
    }
    let (after, _, _) = closers(text, word + 5);
    let sep = blanks(text, after);
    let joined = match bytes::at(text, sep) {
        b':' => Sep::Colon,
        b'=' => Sep::Equals,
        _ => return None,
    };
    // The name itself must be the value of `name` or `key`: `key="Db:Password"`.
    let start = bytes::run_back(text, start, bytes::NAME | bytes::COLON, 64);
    let head = text.get(start.saturating_sub(24)..start)?;
    let head = head.trim_ascii_end();
    let unquoted = head.len()
        - head
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\'))
            .count();
    let head = head.get(..unquoted)?.trim_ascii_end();
    let head = head
        .strip_suffix(b":")
        .or_else(|| head.strip_suffix(b"="))?
        .trim_ascii_end();
    let bare = head.len()
        - head
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'"' | b'\'' | b'\\'))
            .count();
    let head = head.get(..bare)?;
    let ends = |word: &[u8]| {
        head.len() >= word.len()
            && head
                .get(head.len() - word.len()..)
                .is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    };
    let _ = quoted;
    (ends(b"name") || ends(b"key") || ends(b"variable")).then(|| (joined, blanks(text, sep + 1)))
}

/// Returns the position of the value in `"value" == name`.
pub(crate) fn compared_before(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let from = start.saturating_sub(160);
    let head = text.get(from..start)?;
    head.trim_ascii_end().strip_suffix(b"=")?;
    let head = head.rsplit(|b| *b == b'\n').next()?;
    let trimmed = head.trim_ascii_end().strip_suffix(b"=")?;
    let operator = trimmed
        .iter()
        .rev()
        .take_while(|b| matches!(b, b'=' | b'!'))
        .count();
    if operator == 0 {
        return None;
    }
    let left = trimmed.get(..trimmed.len() - operator)?.trim_ascii_end();
    let quote = *left.last()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let inner = left.get(..left.len() - 1)?;
    let slashes = inner.iter().rev().take_while(|b| **b == b'\\').count();
    let inner = inner.get(..inner.len() - slashes)?;
    let open = inner.iter().rposition(|b| *b == quote)?;
    let base = start - head.len();
    (open + 1 < inner.len()).then_some((base + open + 1, base + inner.len()))
}
