//! Hashes, shares of keys, and codes after anchors. Only their length and form identify them.

use crate::bytes::{self, ALNUM, BASE64, DASH, DIGIT, HEX, TOKEN68, UPPER};
use crate::context::Context;
use crate::find::line::{LINE_BYTES, claim, word_at};
use crate::pattern::Pattern;

pub(crate) fn hash(context: &mut Context<'_>, start: usize) {
    let rest = context.bytes.get(start..).unwrap_or_default();
    let stop = |b: &&u8| {
        !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'<' | b',')
    };
    let length = rest.iter().take(4 * LINE_BYTES).take_while(stop).count();
    if length >= 40 {
        context.claim(start, start + length, Pattern::PasswordHash);
    }
}

/// Claims the hashes in `name:500:<32 digits>:<32 digits>:::`.
pub(crate) fn windows_hashes(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let start = end.saturating_sub(65);
    let pair = text.get(start..end).unwrap_or_default();
    let hashes = pair
        .split(|b| *b == b':')
        .all(|part| part.len() == 32 && bytes::all(part, HEX));
    if pair.len() == 65 && hashes {
        context.claim(start, end, Pattern::PasswordHash);
    }
}

/// Claims the word in `set passwd ENC …` or `user default on #…`.
pub(crate) fn long_word(context: &mut Context<'_>, end: usize) {
    let (from, to) = word_at(context.bytes, end);
    let value = context.bytes.get(from..to).unwrap_or_default();
    if value.len() >= 24 && bytes::all(value, BASE64 | HEX | TOKEN68) {
        context.claim(from, to, Pattern::Password);
    }
}

/// Claims the share in `Unseal Key 1 (will be hidden): …`.
pub(crate) fn share(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let line = text
        .get(end..bytes::line_end(text, end, LINE_BYTES))
        .unwrap_or_default();
    let after = match bytes::before(text, end) {
        b':' => Some(0),
        _ => line
            .iter()
            .take(32)
            .position(|b| *b == b':')
            .map(|at| at + 1),
    };
    let Some(after) = after else { return };
    let (from, to) = word_at(text, end + after);
    let value = text.get(from..to).unwrap_or_default();
    // The seed for one-time passwords is in base32.
    let seed = value.len() >= 16 && bytes::all(value, UPPER | DIGIT);
    if (value.len() >= 32 || seed) && bytes::all(value, BASE64 | HEX | TOKEN68) {
        context.claim(from, to, Pattern::Secret);
    }
}

/// Claims a code with digits in it: `backup code 1: 9571-6267`, `your verification code is 411752`.
pub(crate) fn code(context: &mut Context<'_>, end: usize) {
    let text = context.bytes;
    let line = text
        .get(end..bytes::line_end(text, end, 24))
        .unwrap_or_default();
    let from = match bytes::before(text, end) {
        b' ' => end,
        _ => match line.iter().position(|b| matches!(b, b':' | b'=')) {
            Some(at) => end + at + 1,
            None => return,
        },
    };
    let (from, to) = word_at(text, from);
    let value = text.get(from..to).unwrap_or_default();
    let value = value
        .strip_suffix(b".")
        .or_else(|| value.strip_suffix(b","))
        .unwrap_or(value);
    let digits = value.iter().filter(|b| bytes::is(**b, DIGIT)).count();
    if (5..=24).contains(&value.len()) && digits >= 2 && bytes::all(value, ALNUM | DASH) {
        claim(context, from, from + value.len(), Pattern::Secret);
    }
}

/// Claims the codes on the lines below `Recovery codes:`, one or two per line.
pub(crate) fn codes(context: &mut Context<'_>, end: usize) {
    const ROWS: usize = 24;
    let text = context.bytes;
    let mut at = bytes::line_end(text, end, 8);
    for _ in 0..ROWS {
        if bytes::at(text, at) != b'\n' {
            return;
        }
        let stop = bytes::line_end(text, at + 1, LINE_BYTES);
        let line = text.get(at + 1..stop).unwrap_or_default();
        let mut words = line.split(|b| *b == b' ').filter(|word| !word.is_empty());
        let is_code = |word: &[u8]| {
            (6..=24).contains(&word.len())
                && bytes::any(word, DIGIT)
                && bytes::all(word, ALNUM | DASH)
        };
        let found: Vec<_> = words.by_ref().take(3).collect();
        if found.is_empty() || found.len() > 2 || !found.iter().all(|word| is_code(word)) {
            return;
        }
        let lead = line.iter().take_while(|b| **b == b' ').count();
        context.claim(
            at + 1 + lead,
            at + 1 + line.trim_ascii_end().len(),
            Pattern::Secret,
        );
        at = stop;
    }
}
