//! JSON, JSON lines, and JSON that was cut off.

use crate::bytes;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// How much text a name or a value takes at least, most often, in bytes.
const LEAF_BYTES: usize = 24;

/// Up to this length a string is short, in bytes.
const SHORT_BYTES: usize = 24;

/// An object or array that is being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    object: bool,
    group: u32,
    /// The key of the values: that of the member, or that of the array around.
    owner: u32,
    /// Whether a key is next, rather than a value.
    key_next: bool,
}

/// The leaves of `text`; `None` when it is no JSON.
pub(super) fn read(text: &[u8]) -> Option<Structure> {
    let mut found = Structure::with_room_for(text.len() / LEAF_BYTES);
    let mut open: Vec<Open> = Vec::new();
    // Whether a value, a comma or a colon may stand here.
    let (mut value, mut comma, mut colon) = (true, false, false);
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at = bytes::run(text, at + 1, bytes::SPACE, usize::MAX),
            b'{' | b'[' if value => {
                let owner = match open.last() {
                    Some(outer) => outer.owner,
                    None => NONE,
                };
                let object = byte == b'{';
                let group = found.group();
                open.push(Open {
                    object,
                    group,
                    owner: if object { NONE } else { owner },
                    key_next: object,
                });
                (value, comma) = (true, false);
                at += 1;
            }
            b'}' | b']' => {
                let last = open.pop()?;
                if last.object != (byte == b'}') || colon {
                    return None;
                }
                (value, comma) = (open.is_empty(), true);
                at += 1;
            }
            b',' if comma && !open.is_empty() => {
                if let Some(last) = open.last_mut() {
                    last.key_next = last.object;
                }
                (value, comma) = (true, false);
                at += 1;
            }
            b':' if colon => {
                (value, colon) = (true, false);
                at += 1;
            }
            b'"' if value => {
                let end = string_end(text, at + 1);
                let span = (at + 1, end);
                let outer = open.last_mut()?;
                if outer.key_next {
                    outer.owner = found.push(span, Role::Key, Style::Quoted, NONE, outer.group);
                    outer.key_next = false;
                    (value, colon) = (false, true);
                } else {
                    found.push(span, Role::Value, Style::Quoted, outer.owner, outer.group);
                    (value, comma) = (false, true);
                }
                at = end + 1;
            }
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' if value => {
                let class = bytes::ALNUM | bytes::DOT | bytes::PLUS | bytes::DASH;
                let end = bytes::run(text, at, class, 512);
                let outer = open.last().filter(|o| !o.key_next)?;
                if !is_bare(text.get(at..end)?) && end < text.len() {
                    return None;
                }
                found.push(
                    (at, end),
                    Role::Value,
                    Style::Bare,
                    outer.owner,
                    outer.group,
                );
                (value, comma) = (false, true);
                at = end;
            }
            _ => return None,
        }
    }
    Some(found)
}

fn is_bare(token: &[u8]) -> bool {
    matches!(token, b"true" | b"false" | b"null")
        || std::str::from_utf8(token).is_ok_and(|t| t.parse::<f64>().is_ok())
}

/// Where the string that starts at `from` ends: at its quote, or at the end of the text.
pub(super) fn string_end(text: &[u8], from: usize) -> usize {
    // Most are short, and looking byte by byte is the fastest then.
    let short = text
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take(SHORT_BYTES);
    let mut at = from;
    for byte in short {
        match byte {
            b'"' => return at,
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(next) = memchr::memchr2(b'"', b'\\', rest) else {
            return text.len();
        };
        at += next;
        if bytes::at(text, at) == b'"' {
            return at;
        }
        at += 2;
    }
}
