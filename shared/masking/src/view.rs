//! A text in the form that its last reader sees: needless escapes are decoded, and invisible characters are removed.
//!
//! Encoders write `/`, `<` or `=` as `\/`, `\u003c` or `\x3d`. A zero-width space splits a word that people read as
//! one. Finders scan the view, and their findings are replaced in the source. An escape that keeps a string together
//! stays an escape (`\u0022` becomes `\"`), so that view and source have the same structure.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::bytes::{self, HEX};

/// A text, and its differences from the source.
#[derive(Debug)]
pub(crate) struct View<'t> {
    text: Cow<'t, str>,
    /// Changes in order, without overlaps.
    changes: Vec<Change>,
}

/// A part of the view that differs from the source; empty if the source's characters were removed.
#[derive(Debug, Clone, Copy)]
struct Change {
    start: usize,
    end: usize,
    source_start: usize,
    source_end: usize,
}

impl<'t> View<'t> {
    /// Returns the view of `source`; borrowed if both are the same.
    pub(crate) fn new(source: &'t str) -> Self {
        let built = first_change(source).map(|first| build(source, first));
        built.filter(|view| !view.is_source()).unwrap_or(Self {
            text: Cow::Borrowed(source),
            changes: Vec::new(),
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the view equals its source.
    pub(crate) const fn is_source(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the position of the view's `start..end` in the source. Escapes at the edges are included as a whole.
    pub(crate) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        let before = self.changes.partition_point(|change| change.end <= start);
        let from = match self.changes.get(before) {
            Some(change) if change.start <= start => change.source_start,
            _ => self.source_position(before, start),
        };
        let before = self.changes.partition_point(|change| change.start < end);
        let last = before.checked_sub(1).and_then(|at| self.changes.get(at));
        let to = match last {
            Some(change) if end < change.end => change.source_end,
            _ => self.source_position(before, end),
        };
        (from, to)
    }

    /// Returns the source position of `at`, which is after the first `count` changes and not within one.
    fn source_position(&self, count: usize, at: usize) -> usize {
        let last = count.checked_sub(1).and_then(|last| self.changes.get(last));
        last.map_or(at, |change| change.source_end + (at - change.end))
    }
}

/// Returns the first position at which a change may be needed. Most texts have none, so this check is fast.
fn first_change(source: &str) -> Option<usize> {
    let text = source.as_bytes();
    let escape = memchr(b'\\', text).and_then(|from| {
        let rest = text.get(from..)?;
        let starts = [&b"\\/"[..], b"\\u", b"\\x", b"\\U"];
        let found = starts.iter().filter_map(|start| memmem::find(rest, start));
        // The preceding backslashes belong to the escape.
        found.min().map(|at| slashes_before(text, from + at))
    });
    let before = text.get(..escape.unwrap_or(text.len()))?;
    first_invisible(source, before).or(escape)
}

fn slashes_before(text: &[u8], at: usize) -> usize {
    let head = text.get(..at).unwrap_or_default();
    at - head.iter().rev().take_while(|byte| **byte == b'\\').count()
}

fn first_invisible(source: &str, text: &[u8]) -> Option<usize> {
    const CHUNK_BYTES: usize = 64;
    let chunks = text.chunks(CHUNK_BYTES).enumerate();
    let foreign = chunks.filter(|(_, chunk)| !chunk.is_ascii());
    let mut places =
        foreign.flat_map(|(at, chunk)| at * CHUNK_BYTES..at * CHUNK_BYTES + chunk.len());
    places.find(|at| invisible_end(source, *at).is_some())
}

/// Returns the end of the invisible character at `at`.
fn invisible_end(source: &str, at: usize) -> Option<usize> {
    // No such character starts with a lower byte. This excludes most positions.
    if bytes::at(source.as_bytes(), at) < 0xc2 {
        return None;
    }
    let first = source.get(at..)?.chars().next()?;
    is_invisible(first).then(|| at + first.len_utf8())
}

/// Whether the character is in class Cf or otherwise invisible: joiners, fillers, variation selectors.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Builds the view of `source`, in which nothing changes before `first`.
fn build(source: &str, first: usize) -> View<'_> {
    let text = source.as_bytes();
    let (mut seen, mut changes) = (String::with_capacity(source.len()), Vec::new());
    let (mut at, mut copied) = (first, 0);
    while let Some(byte) = text.get(at) {
        let (end, replacement) = match byte {
            b'\\' => escape(text, at),
            _ => match invisible_end(source, at) {
                Some(end) => (end, Some(String::new())),
                None => (at + 1, None),
            },
        };
        if let Some(replacement) = replacement {
            seen.push_str(source.get(copied..at).unwrap_or_default());
            let start = seen.len();
            seen.push_str(&replacement);
            changes.push(Change {
                start,
                end: seen.len(),
                source_start: at,
                source_end: end,
            });
            copied = end;
        }
        at = end;
    }
    seen.push_str(source.get(copied..).unwrap_or_default());
    View {
        text: Cow::Owned(seen),
        changes,
    }
}

/// Returns the end of the escape that starts with the backslashes at `start`, and its replacement. `None` as the
/// replacement means that it stays as it is.
fn escape(text: &[u8], start: usize) -> (usize, Option<String>) {
    let head = slashes_end(text, start);
    let slashes = head - start;
    let Some((BACKSLASH, end)) = code(text, head) else {
        return needless(text, head, slashes)
            .map_or((head, None), |(end, plain)| (end, Some(plain)));
    };
    // A backslash that may escape the text after it: `\u005cu003d` in a string within a string.
    let slashes = slashes + own(slashes);
    let inner = needless(text, end, slashes);
    let (end, plain) = inner.unwrap_or_else(|| (end, "\\".repeat(slashes)));
    (end, Some(plain))
}

const BACKSLASH: u32 = b'\\' as u32;

/// Decodes a needless escape at `at` after `slashes` backslashes. Returns its end and the decoded text.
///
/// A string within a string doubles the backslashes of its escapes. So 2^k backslashes begin an escape that is k
/// strings deep. Any backslashes before them are literal.
fn needless(text: &[u8], at: usize, slashes: usize) -> Option<(usize, String)> {
    if bytes::at(text, at) == b'/' {
        return Some((at + 1, "/".to_owned()));
    }
    let own = own(slashes);
    let (value, end) = character(text, at, own)?;
    let written = |slashes: usize, letter: &str| "\\".repeat(slashes) + letter;
    let plain = match value {
        0x2f => "/".to_owned(),
        BACKSLASH => written(slashes + own, ""),
        // It stays an escape, because otherwise it would end the string.
        0x22 => written(slashes + own - 1, "\""),
        0x08 => written(slashes, "b"),
        0x09 => written(slashes, "t"),
        0x0a => written(slashes, "n"),
        0x0c => written(slashes, "f"),
        0x0d => written(slashes, "r"),
        _ => {
            let character = char::from_u32(value).filter(|c| !c.is_control())?;
            let shown = Some(character).filter(|c| !is_invisible(*c));
            written(slashes - own, &String::from_iter(shown))
        }
    };
    Some((end, plain))
}

/// Returns how many of these backslashes belong to the escape.
const fn own(slashes: usize) -> usize {
    1 << slashes.trailing_zeros()
}

/// Returns the character that is escaped at `at` by `slashes` backslashes, and its end. Joins two surrogates into one
/// character.
fn character(text: &[u8], at: usize, slashes: usize) -> Option<(u32, usize)> {
    let (value, end) = code(text, at)?;
    if !(0xd800..0xdc00).contains(&value) {
        return Some((value, end));
    }
    let second = slashes_end(text, end);
    let (low, end) = code(text, second).filter(|_| second - end == slashes)?;
    (0xdc00..0xe000)
        .contains(&low)
        .then_some((0x1_0000 + ((value - 0xd800) << 10) + (low - 0xdc00), end))
}

/// Returns the value of `u003d`, `u{3d}`, `U0000003d` or, in ASCII, `x3d` at `at`, and its end.
fn code(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let (from, digits, after) = match bytes::at(text, at) {
        b'u' if bytes::at(text, at + 1) == b'{' => {
            let end = bytes::run(text, at + 2, HEX, 6);
            (bytes::at(text, end) == b'}').then_some((at + 2, end - at - 2, 1))?
        }
        b'u' => (at + 1, 4, 0),
        b'U' => (at + 1, 8, 0),
        b'x' => (at + 1, 2, 0),
        _ => return None,
    };
    let end = from + digits;
    let digits = std::str::from_utf8(text.get(from..end)?).ok()?;
    // `from_str_radix` also accepts a sign.
    let value = u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| bytes::all(digits.as_bytes(), HEX))?;
    let is_ascii = value < 0x7f || bytes::at(text, at) != b'x';
    is_ascii.then_some((value, end + after))
}

fn slashes_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| **byte == b'\\').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needless_escapes_are_undone_and_needed_ones_stay() {
        for (source, seen) in [
            (r"https:\/\/a\\/b\\\/c", "https://a/b/c"),
            (r"\u003cpassword\u003E", "<password>"),
            (r"a\u003db \x3d \u{3d} \U0000003d", "a=b = = ="),
            (r"\\u003d and \u005cu003d", "= and ="),
            (r"\\\u003d", r"\\="),
            (r"say \u0022x\u0022, \x22y", r#"say \"x\", \"y"#),
            (r"\\u0022 in a string", r#"\\\" in a string"#),
            (r"C:\u005cdir \u000a \x0d", r"C:\\dir \n \r"),
            (r"gr\u00fc\u00dfe \ud83d\ude00", "grüße 😀"),
            (
                "pass\u{200b}word \u{feff}x \\u200by \u{e0041}z",
                "password x y z",
            ),
            // None of these is decoded.
            (
                r#"C:\users \x1f \u00 \ud83d \ude00 \xff \u{} \n \" \\"#,
                r#"C:\users \x1f \u00 \ud83d \ude00 \xff \u{} \n \" \\"#,
            ),
            (r"\u+03d \u001b[0m", r"\u+03d \u001b[0m"),
        ] {
            assert_eq!(View::new(source).text(), seen, "{source}");
        }
        assert!(View::new("plain \\n grüße").is_source());
    }

    #[test]
    fn places_of_the_view_are_found_in_the_source() {
        let source = "\u{200b}a\\u003d\u{200b}se\u{200b}cret\u{200b} \\u0022b";
        let view = View::new(source);
        assert_eq!(view.text(), "a=secret \\\"b");
        let at = |part: &str| {
            let start = view.text().find(part).unwrap();
            let (from, to) = view.source(start, start + part.len());
            &source[from..to]
        };
        assert_eq!(at("secret"), "se\u{200b}cret");
        assert_eq!(at("="), "\\u003d");
        assert_eq!(at("\\"), "\\u0022");
        assert_eq!(at("\"b"), "\\u0022b");
        assert_eq!(at("a"), "a");
        assert_eq!(at(view.text()), &source[3..]);
    }
}
