//! A name, its value, and how they are joined. Finders find candidates, and judges decide about them.

use crate::bytes::{self, NAME};
use crate::span::Quoting;

/// How a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sep {
    /// `name: value`
    Colon,
    /// `name = value` and its relatives `:=`, `=>`, `==`, `!=`, `?=`.
    Equals,
    /// `name("value")`, `"name", "value"`, `name "value"`. Only a quoted value counts.
    Quoted,
    /// A member of a structure. Only the name and the value are known.
    Member,
    /// `--name value`, `password value` of netrc files.
    Flag,
    /// `<name>value</name>`
    Element,
    /// `the name is value`, or a line with only name and value.
    Prose,
}

/// The joint between a name and the place where its value starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint {
    pub(crate) sep: Sep,
    /// Start of the name.
    pub(crate) name_start: usize,
    /// Start of the value, including prefixes and quotes.
    pub(crate) value_start: usize,
    /// Number of backslashes before the double quotes around the name; `None` if it has no double quotes.
    pub(crate) name_quotes: Option<u8>,
    /// Whether there are blanks around the separator, as in code.
    pub(crate) spaced: bool,
}

impl Joint {
    /// Creates the joint of a JSON member that is already parsed.
    pub(crate) const fn member() -> Self {
        Self {
            sep: Sep::Member,
            name_start: 0,
            value_start: 0,
            name_quotes: None,
            spaced: false,
        }
    }

    /// Creates the joint of a member in a text whose structure is known.
    pub(crate) const fn of_member(name_start: usize, value_start: usize) -> Self {
        Self {
            sep: Sep::Member,
            name_start,
            value_start,
            name_quotes: None,
            spaced: false,
        }
    }

    /// Creates the joint of `"value" == name`.
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

/// Position of a value in the text, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is in quotes.
    pub(crate) quoted: bool,
    /// Quotes that the replacement needs.
    pub(crate) quoting: Quoting,
    /// Whether the value is in a pair `name=value;` of a connection string.
    pub(crate) in_pairs: bool,
}

impl Extent {
    /// Creates the extent of a value in quotes. The replacement keeps these quotes.
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

/// Returns the position after the blanks and tabs at `at`.
pub(crate) fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take(48)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// Skips `[]`, `"`, `\"`, `']` after a name. Returns the position after them, the number of backslashes before a double
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
    // A backslash without a quote after it does not belong to the name.
    if slashes > 0 && !quoted {
        (end, None, false)
    } else {
        (at, quotes, quoted)
    }
}

/// Whether the name is in the opening tag of an XML element.
pub(crate) fn is_element(text: &[u8], start: usize) -> bool {
    let tag = bytes::run_back(text, start, NAME | bytes::COLON, 64);
    bytes::before(text, tag) == b'<'
}
