//! Values in `INSERT INTO users (name, password) VALUES ('…', '…')`: the value at a column's position.

use crate::bytes;

/// Longest distance at which the list of values is searched, in bytes.
const REACH: usize = 400;

/// Returns the start of the value of the column at `start..end`, if it is a literal.
pub(crate) fn value(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let head = text.get(start.saturating_sub(REACH)..start)?;
    let open = memchr::memrchr3(b'(', b')', b'\'', head)?;
    let before = head.get(open..)?;
    if !before.starts_with(b"(") || before.contains(&b';') {
        return None;
    }
    let rest = text.get(end..(end + REACH).min(text.len()))?;
    let close = rest
        .iter()
        .position(|b| matches!(b, b')' | b'\'' | b'(' | b';'))?;
    if bytes::at(rest, close) != b')' {
        return None;
    }
    let columns = before.iter().filter(|b| **b == b',').count();
    let gap = |at: usize| {
        let blank = |b: &&u8| b.is_ascii_whitespace();
        at + rest
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(blank)
            .count()
    };
    let word = gap(close + 1);
    let list = gap(word + b"values".len());
    if !bytes::has_at(rest, word, b"values") || bytes::at(rest, list) != b'(' {
        return None;
    }
    let mut at = gap(list + 1);
    for _ in 0..columns {
        at = gap(item_end(rest, at)? + 1);
    }
    matches!(bytes::at(rest, at), b'\'' | b'"').then_some(end + at)
}

/// Returns the position of the comma after the value at `at`.
fn item_end(rest: &[u8], at: usize) -> Option<usize> {
    let (mut quoted, mut depth) = (false, 0_usize);
    for (offset, byte) in rest.get(at..)?.iter().enumerate() {
        match byte {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.checked_sub(1)?,
            b',' if !quoted && depth == 0 => return Some(at + offset),
            _ => {}
        }
    }
    None
}
