//! Fast path for most assignments: reads `KEY=value` and `key = "value"` in one pass. All other lines take the slow
//! path.

use crate::bytes::{self, ALNUM, ALPHA, NAME};
use crate::structure::leaf::Style;

/// Longest line that is accepted as an assignment, in bytes.
pub(super) const LINE_BYTES: usize = 64 << 10;
/// Longest name, in bytes.
pub(super) const KEY_BYTES: usize = 128;
/// Bytes with which a value without blanks and quotes may start.
const BARE: bytes::Class = ALNUM | bytes::SLASH | bytes::DOT | bytes::DASH | bytes::UNDERSCORE;

/// A name, and the position of its value.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) end: usize,
    pub(super) equals: usize,
    from: usize,
}

/// A value that ends with its line.
pub(super) struct Value {
    pub(super) span: (usize, usize),
    pub(super) style: Style,
    /// Whether only TOML writes the value in this way.
    pub(super) is_toml: bool,
    /// Start of the next line.
    pub(super) next: usize,
}

/// Returns the name at the start of the line at `at`, if it is one word.
pub(super) fn name(text: &[u8], at: usize) -> Option<Name> {
    if !bytes::is(bytes::at(text, at), ALPHA) {
        return None;
    }
    let end = bytes::run(text, at, NAME, KEY_BYTES / 2);
    let equals = bytes::blanks_end(text, end);
    // `export NAME=…`, `set NAME=…`.
    let prefixed = equals > end && matches!(end - at, 3 | 6);
    if bytes::at(text, equals) != b'=' || equals - at >= KEY_BYTES || prefixed {
        return None;
    }
    // Exclude the operators of programs.
    let is_operator = matches!(bytes::at(text, equals + 1), b'=' | b'>' | b'~');
    let from = bytes::blanks_end(text, equals + 1);
    (!is_operator).then_some(Name { end, equals, from })
}

impl Name {
    /// Whether a blank follows the equals sign.
    pub(super) const fn is_spaced(self) -> bool {
        self.from > self.equals + 1
    }

    /// Returns the value, if it is a word or a string and nothing else is on the line.
    pub(super) fn value(self, text: &[u8]) -> Option<Value> {
        let (from, first) = (self.from, bytes::at(text, self.from));
        let (span, style) = if first == b'"' {
            let end = bytes::find_any(text, from + 1, [b'"', b'\\', b'\n']);
            let closed = bytes::at(text, end) == b'"';
            (closed.then_some((from + 1, end))?, Style::Quoted)
        } else if bytes::is(first, BARE) {
            let end = bytes::find_any(text, from, [b'\n', b' ', b'\t']);
            ((from, end), Style::Line)
        } else {
            return None;
        };
        let after = span.1 + usize::from(style == Style::Quoted);
        let ends = bytes::at(text, after) == b'\n'
            && !bytes::before(text, after).is_ascii_whitespace()
            && after - from < LINE_BYTES / 2;
        ends.then(|| Value {
            span,
            style,
            is_toml: style == Style::Quoted || is_toml(text.get(from..after).unwrap_or_default()),
            next: after + 1,
        })
    }
}

/// Whether an unquoted value is a number, a time or a boolean in TOML.
pub(super) fn is_toml(value: &[u8]) -> bool {
    let first = bytes::at(value, 0);
    let numbered = bytes::is(first, bytes::DIGIT) || matches!(first, b'-' | b'+');
    (numbered || matches!(value, b"true" | b"false"))
        && bytes::all(
            value,
            bytes::ALNUM
                | bytes::DOT
                | bytes::DASH
                | bytes::COLON
                | bytes::PLUS
                | bytes::UNDERSCORE,
        )
}
