//! Separators between a name and its value.

use std::iter;

use crate::bytes::{self, ALNUM, ALPHA, NAME};
use crate::candidate::{Joint, Sep, blanks, closers, is_element};
use crate::data;
use crate::find::joined::{fallback, is_flag, pair_value};
use crate::find::{distant_value, passphrase, replied};

/// Returns the joints that may follow the name at `start..end`, the most likely first.
pub(crate) fn after(text: &[u8], start: usize, end: usize) -> impl Iterator<Item = Joint> {
    let (closed, name_quotes, quoted) = closers(text, end);
    let joint = move |sep, value_start| Joint {
        sep,
        name_start: start,
        value_start,
        name_quotes: None,
        spaced: false,
    };
    let pair = pair_value(text, start, closed, quoted).map(|(sep, value_start)| Joint {
        name_quotes,
        ..joint(sep, value_start)
    });
    let direct = direct(text, start, closed, quoted).map(|(sep, value_start, spaced)| Joint {
        name_quotes,
        spaced,
        ..joint(sep, value_start)
    });
    let login = move || distant_value::login(text, end, closed).map(|at| joint(Sep::Prose, at));
    let aligned = move || passphrase::set_apart(text, start, closed).map(|at| joint(Sep::Flag, at));
    let titled = move || replied::titled(text, start, closed).map(|at| joint(Sep::Prose, at));
    // Search further away only if no nearer value is a secret.
    let distant = move || {
        // `pwd(value)` looks like a call with a literal, but has no literal.
        let called = bytes::at(text, closed) == b'(';
        if direct.is_some() && !quoted && !called {
            return None;
        }
        let (sep, value_start) = distant_value::value(text, start, end, closed)?;
        Some(Joint {
            spaced: true,
            ..joint(sep, value_start)
        })
    };
    let fallback = move || {
        let joint = direct.filter(|joint| joint.sep == Sep::Equals)?;
        let value_start = fallback(text, joint.value_start)?;
        Some(Joint {
            value_start,
            ..joint
        })
    };
    pair.into_iter()
        .chain(direct)
        .chain(iter::once_with(login).flatten())
        .chain(iter::once_with(titled).flatten())
        .chain(iter::once_with(aligned).flatten())
        .chain(iter::once_with(distant).flatten())
        .chain(iter::once_with(fallback).flatten())
}

/// Returns the position after the remark in `Password (new): …`, if a colon follows it.
fn remark(text: &[u8], at: usize, closed: usize) -> Option<usize> {
    if at == closed || bytes::at(text, at) != b'(' {
        return None;
    }
    let end = bytes::run(text, at + 1, ALPHA, 16);
    let word = text.get(at + 1..end)?;
    let is_known = |known: &&str| word.eq_ignore_ascii_case(known.as_bytes());
    let fits = bytes::has_at(text, end, b"):") && data::values("remark").iter().any(is_known);
    fits.then_some(end + 1)
}

fn direct(text: &[u8], start: usize, closed: usize, quoted: bool) -> Option<(Sep, usize, bool)> {
    let mut at = blanks(text, closed);
    if let Some(after) = type_name(text, at, closed) {
        at = after;
    }
    if let Some(after) = remark(text, at, closed) {
        at = after;
    }
    let spaced = at > closed;
    let byte = bytes::at(text, at);
    let next = bytes::at(text, at + 1);
    let sep = match (byte, next) {
        (b':', b':') => {
            // `::=` and `:::=` in makefiles.
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
                Some(after) => {
                    at = after;
                    Sep::Equals
                }
                None => Sep::Colon,
            }
        }
        // `Password ........ value`
        (b'.', b'.') if spaced && bytes::at(text, at + 2) == b'.' => {
            at = bytes::run(text, at, bytes::DOT, 80);
            Sep::Colon
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
            return Some((Sep::Element, distant_value::value_start(text, at), false));
        }
        (b'"' | b'\'' | b'`' | b'@', _) if spaced && !quoted => Sep::Quoted,
        _ if spaced && !quoted && is_flag(text, start) && !is_next_name(text, start, at) => {
            return Some((Sep::Flag, continued(text, at), false));
        }
        (b'\n', b'-' | b' ') if !quoted && bytes::at(text, start) == b'-' => {
            return Some((Sep::Flag, listed(text, start, at)?, false));
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

/// Returns the start of the value. If the line ends after the separator, a quoted value may be on the next line.
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
    let dumped = sep == Sep::Equals && bytes::has_at(text, first, b"string(");
    if dumped || matches!(bytes::at(text, first), b'"' | b'\'' | b'`') {
        first
    } else if sep == Sep::Colon && bytes::has_at(text, first, b"- ") {
        first + 2
    } else {
        at
    }
}

/// Returns the start of the value in `--password \` with the value on the next line.
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

/// Whether another name with a value follows a name that is not a flag: `login password user=x`.
fn is_next_name(text: &[u8], start: usize, at: usize) -> bool {
    let end = bytes::run(text, at, NAME, 64);
    // `login  password  port`: titles of columns.
    let head = text.get(start.saturating_sub(12)..start);
    let head = head.unwrap_or_default().trim_ascii_end();
    if head.ends_with(b" login") && bytes::has_at(text, at.saturating_sub(2), b"  ") {
        return true;
    }
    bytes::at(text, start) != b'-' && end > at && bytes::at(text, end) == b'='
}

/// Returns the start of the value in `- --password` with `- value` on the next line.
fn listed(text: &[u8], start: usize, at: usize) -> Option<usize> {
    let head = text.get(..start)?.strip_suffix(b"- ")?;
    let indent = head.len()
        - head
            .iter()
            .rev()
            .take(64)
            .take_while(|b| **b == b' ')
            .count();
    let indent = head.len() - indent;
    let dash = at + 1 + indent;
    let blank = text.get(at + 1..dash)?.iter().all(|b| *b == b' ');
    let item = bytes::has_at(text, dash, b"- ") && bytes::at(text, dash + 2) != b'-';
    (blank && item).then_some(dash + 2)
}

/// Skips the type name of Go or SQL in `password string = …`.
fn type_name(text: &[u8], at: usize, closed: usize) -> Option<usize> {
    if at == closed {
        return None;
    }
    let end = bytes::run(text, at, NAME, 24);
    let word = text.get(at..end)?;
    let known = [&b"string"[..], b"String", b"str", b"text", b"TEXT", b"char"].contains(&word);
    let after = blanks(text, end);
    (known && bytes::at(text, after) == b'=').then_some(after)
}

/// Skips the type annotation in `password: String = …`. Returns the position after the `=`.
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
