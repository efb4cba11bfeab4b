//! What stands between a name and its value.

use super::beside::{fallback, is_flag, pair_value};
use crate::bytes::{self, ALNUM, ALPHA, NAME};

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
    pub(super) const fn member() -> Self {
        Self {
            sep: Sep::Member,
            name_start: 0,
            value_start: 0,
            name_quotes: None,
            spaced: false,
        }
    }

    /// The joint of a member of a text whose structure is known.
    pub(super) const fn of_member(name_start: usize, value_start: usize) -> Self {
        Self {
            sep: Sep::Member,
            name_start,
            value_start,
            name_quotes: None,
            spaced: false,
        }
    }

    /// The joint of `"value" == name`.
    pub(super) const fn comparison(value_start: usize) -> Self {
        Self {
            sep: Sep::Equals,
            name_start: 0,
            value_start,
            name_quotes: None,
            spaced: true,
        }
    }
}

/// The joints that may follow the name at `start..end`, the likeliest first.
pub(crate) fn after(text: &[u8], start: usize, end: usize) -> impl Iterator<Item = Joint> {
    let (closed, name_quotes, quoted) = closers(text, end);
    let pair = pair_value(text, start, closed, quoted).map(|(sep, value_start)| Joint {
        sep,
        name_start: start,
        value_start,
        name_quotes: if name_quotes.is_some() {
            name_quotes
        } else {
            None
        },
        spaced: false,
    });
    let direct = direct(text, start, closed, quoted).map(|(sep, value_start, spaced)| Joint {
        sep,
        name_start: start,
        value_start,
        name_quotes,
        spaced,
    });
    // `pwd(value)` is joined as a call with a literal is, and has none.
    let called = bytes::at(text, closed) == b'(';
    let apart = if direct.is_some() && !quoted && !called {
        None
    } else {
        super::apart::value(text, start, end, closed)
    };
    let apart = apart.map(|(sep, value_start)| Joint {
        sep,
        name_start: start,
        value_start,
        name_quotes: None,
        spaced: true,
    });
    let fallback = direct
        .filter(|joint| joint.sep == Sep::Equals)
        .and_then(|joint| {
            fallback(text, joint.value_start).map(|value_start| Joint {
                value_start,
                ..joint
            })
        });
    pair.into_iter().chain(direct).chain(apart).chain(fallback)
}

/// Steps over `[]`, `"`, `\"`, `']` behind a name. Returns the position behind, the backslashes before a double
/// quote, and whether there was any quote.
pub(super) fn closers(text: &[u8], end: usize) -> (usize, Option<u8>, bool) {
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

fn direct(text: &[u8], start: usize, closed: usize, quoted: bool) -> Option<(Sep, usize, bool)> {
    let mut at = blanks(text, closed);
    if let Some(behind) = type_name(text, at, closed) {
        at = behind;
    }
    let spaced = at > closed;
    let byte = bytes::at(text, at);
    let next = bytes::at(text, at + 1);
    let sep = match (byte, next) {
        (b':', b':') => {
            // `::=` and `:::=` of makefiles.
            let colons = bytes::run(text, at, bytes::COLON, 3) - at;
            if bytes::at(text, at + colons) != b'=' {
                return None;
            }
            at += colons + 1;
            Sep::Equals
        }
        (b':', b'=') | (b'!' | b'?' | b'+' | b'.', b'=') => {
            at += 2;
            Sep::Equals
        }
        (b'|', b'|') | (b'?', b'?') if bytes::at(text, at + 2) == b'=' => {
            at += 3;
            Sep::Equals
        }
        (b'=', _) => {
            at += 1;
            Sep::Equals
        }
        (b':', _) => {
            at += 1;
            match annotation(text, at) {
                Some(behind) => {
                    at = behind;
                    Sep::Equals
                }
                None => Sep::Colon,
            }
        }
        (b'-' | b'<', b'>' | b'-') if byte != next => {
            at += 2;
            Sep::Quoted
        }
        (b'(', _) if !spaced || quoted => {
            at += 1;
            Sep::Quoted
        }
        (b'{', b'"') if !spaced => {
            at += 1;
            Sep::Quoted
        }
        (b',', _) if quoted || bytes::before(text, start) == b'{' => {
            at += 1;
            Sep::Quoted
        }
        // `token - '…'`, `| api key | … |`.
        (b'-', b' ') if spaced && matches!(bytes::at(text, blanks(text, at + 1)), b'"' | b'\'') => {
            at += 1;
            Sep::Quoted
        }
        (b'|', b' ') if spaced => {
            at += 1;
            return Some((Sep::Prose, blanks(text, at), false));
        }
        (b')', b',') => {
            at += 2;
            Sep::Quoted
        }
        (b'>', _) if is_element(text, start) => {
            at += 1;
            return Some((Sep::Element, super::apart::held(text, at), false));
        }
        (b'"' | b'\'' | b'`' | b'@', _) if spaced && !quoted => Sep::Quoted,
        _ if spaced && !quoted && is_flag(text, start) => {
            return Some((Sep::Flag, continued(text, at), false));
        }
        _ => return None,
    };
    while matches!(bytes::at(text, at), b'=' | b'>' | b'~') && sep == Sep::Equals {
        at += 1;
    }
    let value = blanks(text, at);
    let spaced = spaced || (value > at && sep == Sep::Equals);
    Some((sep, next_line(text, value, sep), spaced))
}

/// When the line ends behind the separator: the quoted value on the next one.
fn next_line(text: &[u8], at: usize, sep: Sep) -> usize {
    let line = if bytes::at(text, at) == b'\\' && bytes::at(text, at + 1) == b'\n' {
        at + 1
    } else {
        at
    };
    if !matches!(bytes::at(text, line), b'\n' | b'\r') {
        return at;
    }
    let rest = text.get(line..).unwrap_or_default();
    let skipped = rest
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let first = line + skipped;
    if matches!(bytes::at(text, first), b'"' | b'\'' | b'`') {
        first
    } else if sep == Sep::Colon && bytes::has_at(text, first, b"- ") {
        first + 2
    } else {
        at
    }
}

/// `--password \` and a value on the next line.
fn continued(text: &[u8], at: usize) -> usize {
    if bytes::at(text, at) != b'\\' || !matches!(bytes::at(text, at + 1), b'\n' | b'\r') {
        return at;
    }
    let rest = text.get(at + 1..).unwrap_or_default();
    let gap = rest
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let value = at + 1 + gap;
    if bytes::at(text, value) == b'-' {
        at
    } else {
        value
    }
}

pub(super) fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take(48)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// `password string = …`: steps over the type of Go and SQL.
fn type_name(text: &[u8], at: usize, closed: usize) -> Option<usize> {
    if at == closed {
        return None;
    }
    let end = bytes::run(text, at, NAME, 24);
    let word = text.get(at..end)?;
    let known = [&b"string"[..], b"String", b"str", b"text", b"TEXT", b"char"].contains(&word);
    let behind = blanks(text, end);
    (known && bytes::at(text, behind) == b'=').then_some(behind)
}

/// `password: String = …`: steps over a type annotation up to behind the `=`.
fn annotation(text: &[u8], at: usize) -> Option<usize> {
    let from = blanks(text, at);
    let rest = text.get(from..)?;
    let length = rest
        .iter()
        .take(40)
        .take_while(|b| {
            bytes::is(**b, ALNUM)
                || matches!(
                    b,
                    b'_' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'?' | b'|' | b' ' | b'.'
                )
        })
        .count();
    let typed = rest.get(..length)?;
    let first = typed.first()?;
    let equals = from + length;
    let plain = bytes::is(*first, ALPHA) || matches!(first, b'&' | b'[');
    let quoted_value = matches!(
        bytes::at(text, blanks(text, equals + 1)),
        b'"' | b'\'' | b'`'
    );
    (plain
        && bytes::at(text, equals) == b'='
        && bytes::at(text, equals + 1) != b'='
        && quoted_value)
        .then_some(equals + 1)
}

/// Whether the name is that of an XML element being opened.
pub(super) fn is_element(text: &[u8], start: usize) -> bool {
    let tag = bytes::run_back(text, start, NAME | bytes::COLON, 64);
    bytes::before(text, tag) == b'<'
}
