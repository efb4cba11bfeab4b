//! JSON, JSON lines, and truncated JSON.

use crate::bytes;
use crate::structure::leaf::{NONE, Role, Structure, Style};

/// Usual minimum of text per name or value, in bytes.
const LEAF_BYTES: usize = 24;

/// Longest rest of the line after a document, in bytes.
const REST_BYTES: usize = 48;

/// An object or array that is being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    object: bool,
    group: u32,
    /// Key of the values: that of the member, or that of the array around them.
    owner: u32,
    /// Whether a key comes next, and not a value.
    key_next: bool,
}

/// Returns the leaves of `text`; `None` if it is not JSON.
pub(super) fn read(text: &[u8]) -> Option<Structure> {
    let found = Structure::with_room_for(text.len() / LEAF_BYTES);
    parse(text, found, |_, _| false, &mut 0)
}

/// Returns the leaves and the end of the document at the start of `text`. The document must end with its line. Sets
/// `reached` to the position up to which it was read.
pub(super) fn first(text: &[u8], reached: &mut usize) -> Option<(Structure, usize)> {
    let mut end = 0;
    let ended = |at: usize, depth: usize| {
        let closed = depth == 0 && at > 0;
        end = if closed { at } else { 0 };
        closed
    };
    let found = parse(text, Structure::default(), ended, reached)?;
    let rest = text.get(end..)?;
    let rest = rest.get(..bytes::line_end(rest, 0, REST_BYTES))?;
    (end > 0 && rest.trim_ascii().is_empty()).then_some((found, end))
}

/// Reads `text` into `found` until `ended` returns true. `ended` gets the position and the number of open collections.
fn parse(
    text: &[u8],
    mut found: Structure,
    mut ended: impl FnMut(usize, usize) -> bool,
    reached: &mut usize,
) -> Option<Structure> {
    let mut open: Vec<Open> = Vec::new();
    // Whether a value, a comma or a colon may come next.
    let (mut value, mut comma, mut colon) = (true, false, false);
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        if ended(at, open.len()) {
            break;
        }
        *reached = at;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at = bytes::blanks_end(text, at + 1),
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
                let (end, escaped) = string(text, at + 1);
                let span = (at + 1, end);
                let outer = open.last_mut()?;
                if outer.key_next {
                    outer.owner = found.push(span, Role::Key, Style::Quoted, NONE, outer.group);
                    outer.key_next = false;
                    (value, colon) = (false, true);
                } else {
                    found.push(span, Role::Value, Style::Quoted, outer.owner, outer.group);
                    if let Some(leaf) = found.leaves.last_mut() {
                        leaf.is_literal = !escaped;
                    }
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
    ended(at, open.len());
    Some(found)
}

fn is_bare(token: &[u8]) -> bool {
    matches!(token, b"true" | b"false" | b"null")
        || std::str::from_utf8(token).is_ok_and(|t| t.parse::<f64>().is_ok())
}

/// Returns the end of the string that starts at `from`: its quote, or the end of the text.
pub(super) fn string_end(text: &[u8], from: usize) -> usize {
    string(text, from).0
}

/// Same as [`string_end`], and also returns whether the string contains a backslash.
fn string(text: &[u8], from: usize) -> (usize, bool) {
    let (mut at, mut escaped) = (from, false);
    loop {
        at = bytes::find_any(text, at, [b'"', b'\\']);
        match text.get(at) {
            None => return (text.len(), escaped),
            Some(b'"') => return (at, escaped),
            Some(_) => (at, escaped) = (at + 2, true),
        }
    }
}
