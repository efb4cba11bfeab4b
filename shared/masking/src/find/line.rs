//! Words of a line, and claims of words that no judge has checked.

use crate::bytes;
use crate::context::Context;
use crate::judge::placeholder::{is_placeholder, is_word};
use crate::judge::reference::is_reference;
use crate::pattern::Pattern;

/// Longest line that is scanned, in bytes.
pub(crate) const LINE_BYTES: usize = 400;

/// Whether only blanks precede `start` on its line.
pub(crate) fn starts_line(text: &[u8], start: usize) -> bool {
    let line = line_before(text, start);
    line.iter().all(|b| b.is_ascii_whitespace())
}

/// Returns the text before `at` on its line.
pub(crate) fn line_before(text: &[u8], at: usize) -> &[u8] {
    let head = text
        .get(at.saturating_sub(LINE_BYTES)..at)
        .unwrap_or_default();
    head.rsplit(|b| *b == b'\n').next().unwrap_or_default()
}

/// Returns the word at `from`, without its quotes.
pub(crate) fn word_at(text: &[u8], from: usize) -> (usize, usize) {
    let rest = text.get(from..).unwrap_or_default();
    let gap = rest
        .iter()
        .take(48)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let from = from + gap;
    let quote = bytes::at(text, from);
    let opened =
        matches!(bytes::before(text, from), b'"' | b'\'').then(|| bytes::before(text, from));
    let (from, close) = match quote {
        b'"' | b'\'' => (from + 1, Some(quote)),
        _ => (from, opened),
    };
    let rest = text.get(from..).unwrap_or_default();
    let length = rest
        .iter()
        .take(LINE_BYTES)
        .take_while(|b| match close {
            Some(quote) => **b != quote && **b != b'\n',
            None => !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'\\'),
        })
        .count();
    (from, from + length)
}

/// Claims the word at `from..to`, unless it is a placeholder or a reference.
pub(crate) fn claim(context: &mut Context<'_>, from: usize, to: usize, pattern: Pattern) {
    let value = context.bytes.get(from..to).unwrap_or_default();
    let plain = value.len() >= 3 && !matches!(bytes::at(value, 0), b'=' | b':' | b'-' | b'$');
    if plain && !is_placeholder(value) && !is_word(value) && !is_reference(value) {
        context.claim(from, to, pattern);
    }
}
