//! What stands between a name and its value.

use crate::bytes::{self, ALNUM, ALPHA, NAME};
use crate::candidate::{Joint, Sep, blanks, closers, is_element};
use crate::find::beside::{fallback, is_flag, pair_value};
use crate::find::distant_value;

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
    let distant = if direct.is_some() && !quoted && !called {
        None
    } else {
        distant_value::value(text, start, end, closed)
    };
    let distant = distant.map(|(sep, value_start)| Joint {
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
    pair.into_iter()
        .chain(direct)
        .chain(distant)
        .chain(fallback)
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
            return Some((Sep::Element, distant_value::held(text, at), false));
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
