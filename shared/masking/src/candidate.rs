//! A name, what joins a value to it, and the value: what finders find and judges judge.

use crate::bytes::{self, NAME};
use crate::span::Quoting;

/// How a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sep {
    /// `name: value`
    Colon,
    /// `name = value` and its relatives `:=`, `=>`, `==`, `!=`, `?=`.
    Equals,
    /// `name("value")`, `"name", "value"`, `name "value"`: only a quoted value counts.
    Quoted,
    /// A member of a structure: nothing but the name and the value is known.
    Member,
    /// `--name value`, `password value` of netrc files.
    Flag,
    /// `<name>value</name>`
    Element,
    /// `the name is value`, or a line of nothing but name and value.
    Prose,
}

/// The joint between a name and the place where its value starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint {
    pub(crate) sep: Sep,
    /// Where the name starts.
    pub(crate) name_start: usize,
    /// Where the value starts, prefixes and quotes included.
    pub(crate) value_start: usize,
    /// Backslashes before the double quotes around the name; `None` when it has none.
    pub(crate) name_quotes: Option<u8>,
    /// Whether blanks are around the separator, as programmers write it.
    pub(crate) spaced: bool,
}

impl Joint {
    /// The joint of a JSON member that has been parsed already.
    pub(crate) const fn member() -> Self {
        Self {
            sep: Sep::Member,
            name_start: 0,
            value_start: 0,
            name_quotes: None,
            spaced: false,
        }
    }

    /// The joint of a member of a text whose structure is known.
    pub(crate) const fn of_member(name_start: usize, value_start: usize) -> Self {
        Self {
            sep: Sep::Member,
            name_start,
            value_start,
            name_quotes: None,
            spaced: false,
        }
    }

    /// The joint of `"value" == name`.
    pub(crate) const fn comparison(value_start: usize) -> Self {
        Self {
            sep: Sep::Equals,
            name_start: 0,
            value_start,
            name_quotes: None,
            spaced: true,
        }
    }
}

/// A value within the text, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is in quotes.
    pub(crate) quoted: bool,
    /// The quotes its replacement needs.
    pub(crate) quoting: Quoting,
    /// Whether it is one of the pairs of a connection string: `name=value;`.
    pub(crate) in_pairs: bool,
}

impl Extent {
    /// A value in quotes, which its replacement keeps.
    pub(crate) const fn quoted(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            quoted: true,
            quoting: Quoting::None,
            in_pairs: false,
        }
    }
}

/// The blanks from `at` on are stepped over.
pub(crate) fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take(48)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// Steps over `[]`, `"`, `\"`, `']` after a name. Returns the position after, the backslashes before a double
/// quote, and whether there was any quote.
pub(crate) fn closers(text: &[u8], end: usize) -> (usize, Option<u8>, bool) {
    let (mut at, mut slashes, mut quotes, mut quoted) = (end, 0_u8, None, false);
    while at < end + 10 {
        match bytes::at(text, at) {
            b'\\' => slashes = slashes.saturating_add(1),
            b'"' if !quoted => (quotes, quoted) = (Some(slashes), true),
            b'\'' | b'`' if !quoted => quoted = true,
            b']' => {}
            b'*' if bytes::at(text, end) == b'*' => {}
            b'[' if bytes::at(text, at + 1) == b']' => {}
            _ => break,
        }
        at += 1;
    }
    // A backslash that escapes nothing we know is not ours.
    if slashes > 0 && !quoted {
        (end, None, false)
    } else {
        (at, quotes, quoted)
    }
}

/// Whether the name is that of an XML element being opened.
pub(crate) fn is_element(text: &[u8], start: usize) -> bool {
    let tag = bytes::run_back(text, start, NAME | bytes::COLON, 64);
    bytes::before(text, tag) == b'<'
}
