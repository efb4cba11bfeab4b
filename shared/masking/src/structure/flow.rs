//! Flow collections in YAML, and arrays and inline tables in TOML.

use crate::bytes;
use crate::structure::json::string_end;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// Longest collection, in bytes.
const FLOW_BYTES: usize = 1 << 20;

/// A collection that is being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    object: bool,
    group: u32,
    owner: u32,
    /// Key of the member that is being read.
    key: u32,
}

/// Reads the collection at `from`. Its values belong to `owner`, and its names end at `separator`. Returns the end of
/// the collection.
pub(super) fn read(
    text: &[u8],
    from: usize,
    owner: u32,
    separator: u8,
    found: &mut Structure,
) -> Option<usize> {
    // The innermost collection is kept apart, because most have no other around them.
    let (mut open, mut around) = (None::<Open>, Vec::new());
    let mut at = from;
    let limit = text.len().min(from + FLOW_BYTES);
    while at < limit {
        let byte = bytes::at(text, at);
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b'#' if matches!(bytes::before(text, at), b' ' | b'\n' | b'\t') => {
                let end = bytes::line_end(text, at, FLOW_BYTES);
                found.push((at, end), Role::Text, Style::Line, NONE, 0);
                at = end;
            }
            b'{' | b'[' => {
                let outer = open.map_or(owner, |o| {
                    if o.object || o.key != NONE {
                        o.key
                    } else {
                        o.owner
                    }
                });
                let object = byte == b'{';
                let group = found.group();
                around.extend(open.replace(Open {
                    object,
                    group,
                    owner: if object { NONE } else { outer },
                    key: NONE,
                }));
                at += 1;
            }
            b'}' | b']' => {
                let last = open?;
                if last.object != (byte == b'}') {
                    return None;
                }
                at += 1;
                open = around.pop();
                if open.is_none() {
                    return Some(at);
                }
            }
            b',' => {
                open.as_mut()?.key = NONE;
                at += 1;
            }
            _ => at = scalar(text, at, separator, open.as_mut()?, found)?,
        }
    }
    None
}

/// Reads the key or value at `at`. Returns the position of the next token.
fn scalar(
    text: &[u8],
    at: usize,
    separator: u8,
    open: &mut Open,
    found: &mut Structure,
) -> Option<usize> {
    let (span, style, after) = match bytes::at(text, at) {
        quote @ (b'"' | b'\'')
            if bytes::at(text, at + 1) == quote
                && bytes::at(text, at + 2) == quote
                && separator == b'=' =>
        {
            let end = triple_end(text, at + 3, quote)?;
            ((at + 3, end), Style::Quoted, end + 3)
        }
        b'"' => {
            let end = string_end(text, at + 1);
            (end < text.len()).then_some(((at + 1, end), Style::Quoted, end + 1))?
        }
        b'\'' => {
            let end = single_end(text, at + 1)?;
            ((at + 1, end), Style::Quoted, end + 1)
        }
        _ => {
            let end = plain_end(text, at, separator);
            (end > at).then_some(((at, end), Style::Flow, end))?
        }
    };
    let rest = text.get(after..)?;
    let gap = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let is_key = open.key == NONE
        && bytes::at(text, after + gap) == separator
        && (style == Style::Quoted
            || separator == b'='
            || ends_key(bytes::at(text, after + gap + 1)));
    if is_key {
        open.key = found.push(span, Role::Key, style, NONE, open.group);
        return Some(after + gap + 1);
    }
    if !matches!(bytes::at(text, after + gap), b',' | b']' | b'}' | b'#' | 0) {
        return None;
    }
    let owner = if open.object || open.key != NONE {
        open.key
    } else {
        open.owner
    };
    found.push(span, Role::Value, style, owner, open.group);
    Some(after)
}

const fn ends_key(next: u8) -> bool {
    matches!(
        next,
        b' ' | b'\n' | b'\r' | b'\t' | b',' | b'[' | b']' | b'{' | b'}' | 0
    )
}

/// Returns the end of the plain scalar at `from`, without trailing blanks.
fn plain_end(text: &[u8], from: usize, separator: u8) -> usize {
    let mut at = from;
    loop {
        at = bytes::run(text, at, bytes::NAME | bytes::SLASH, usize::MAX);
        let Some(byte) = text.get(at) else { break };
        let stop = match byte {
            b',' | b'[' | b']' | b'{' | b'}' => true,
            b'=' => separator == b'=',
            b':' => separator == b':' && ends_key(bytes::at(text, at + 1)),
            b'#' => bytes::before(text, at).is_ascii_whitespace(),
            b'\n' => separator == b'=',
            _ => false,
        };
        if stop {
            break;
        }
        at += 1;
    }
    from + text
        .get(from..at)
        .unwrap_or_default()
        .trim_ascii_end()
        .len()
}

/// Returns the end of a single-quoted string, in which `''` is a quote.
pub(super) fn single_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\'' if bytes::at(text, at + 1) == b'\'' => at += 2,
            b'\'' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Returns the end of a string that three quotes opened.
pub(super) fn triple_end(text: &[u8], from: usize, quote: u8) -> Option<usize> {
    let rest = text.get(from..)?;
    let at = rest.windows(3).position(|w| w == [quote; 3])?;
    Some(from + at)
}
