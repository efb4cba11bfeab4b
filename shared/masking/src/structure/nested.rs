//! Structures inside values: JSON in a JSON string, a file in a block scalar.

use crate::bytes::{self, HEX};
use crate::structure::leaf::{Leaf, NONE, Role, Structure, Style};

/// Longest value that is read, in bytes.
const VALUE_BYTES: usize = 1 << 20;
/// Most levels of nested values.
const DEPTH: u8 = 4;

/// Function that reads a nested text at a depth.
pub(super) type Reader = fn(&[u8], u8) -> Option<Structure>;

/// Returns `found`, in which each value with its own structure is replaced by the leaves of that structure.
pub(super) fn expand(found: Structure, text: &[u8], depth: u8, read: Reader) -> Structure {
    if depth >= DEPTH {
        return found;
    }
    let inner: Vec<(usize, Structure)> = found
        .leaves
        .iter()
        .enumerate()
        .filter(|(_, leaf)| is_worth(leaf, text))
        .filter_map(|(at, leaf)| within(leaf, text, depth, read).map(|inner| (at, inner)))
        .collect();
    if inner.is_empty() {
        return found;
    }
    let mut inner = inner.into_iter().peekable();
    let mut whole = Structure {
        leaves: Vec::with_capacity(found.leaves.len()),
        groups: found.groups,
        is_configuration: found.is_configuration,
        is_sectioned: found.is_sectioned,
        keys: found.keys,
        unclosed: 0,
    };
    let mut moved = Vec::with_capacity(found.leaves.len());
    for (at, leaf) in found.leaves.iter().enumerate() {
        let base = u32::try_from(whole.leaves.len()).unwrap_or(NONE);
        moved.push(base);
        let Some((_, inner)) = inner.next_if(|(place, _)| *place == at) else {
            let owner = moved.get(leaf.owner as usize).copied().unwrap_or(NONE);
            whole.leaves.push(Leaf { owner, ..*leaf });
            continue;
        };
        let groups = whole.groups;
        whole.groups += inner.groups;
        whole.keys += inner.keys;
        whole.is_configuration |= inner.is_configuration;
        whole.is_sectioned |= inner.is_sectioned;
        whole.leaves.extend(inner.leaves.iter().map(|l| Leaf {
            owner: if l.owner == NONE {
                NONE
            } else {
                l.owner + base
            },
            group: l.group + groups,
            ..*l
        }));
    }
    whole
}

/// Whether `leaf` may contain a structure, so that reading it is worthwhile.
fn is_worth(leaf: &Leaf, text: &[u8]) -> bool {
    if leaf.role != Role::Value || !(8..VALUE_BYTES).contains(&(leaf.end - leaf.start)) {
        return false;
    }
    let first = bytes::at(text, leaf.start);
    let opens = matches!(first, b'{' | b'[') || first.is_ascii_whitespace();
    match leaf.style {
        Style::Block => true,
        Style::Quoted => opens || !leaf.is_literal,
        _ => opens,
    }
}

/// Returns the structure inside `leaf`, with positions in `text`.
fn within(leaf: &Leaf, text: &[u8], depth: u8, read: Reader) -> Option<Structure> {
    let value = text.get(leaf.start..leaf.end)?;
    let collection = matches!(value.trim_ascii_start().first(), Some(b'{' | b'['));
    let escaped = value.contains(&b'\\');
    if !(collection || leaf.style == Style::Block || leaf.style == Style::Quoted && escaped) {
        return None;
    }
    // Without a colon or an equals sign, nothing in the value has a name, unless such a sign is escaped as `\u003a`.
    let named = value.iter().any(|b| matches!(b, b':' | b'='));
    if !(named || escaped && value.windows(2).any(|w| w == b"\\u")) {
        return None;
    }
    let (decoded, places, escaped) = match leaf.style {
        Style::Block => dedented(value),
        Style::Quoted if escaped => unescaped(value),
        _ if collection => (value.to_vec(), Vec::new(), false),
        _ => return None,
    };
    let lines = decoded.contains(&b'\n');
    if !lines && !matches!(decoded.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut inner = read(&decoded, depth + 1)?;
    let place = |at: usize| {
        let offset = if places.is_empty() {
            Some(&at)
        } else {
            places.get(at)
        };
        leaf.start + offset.copied().unwrap_or(value.len())
    };
    for leaf in &mut inner.leaves {
        (leaf.start, leaf.end) = (place(leaf.start), place(leaf.end));
        if escaped {
            leaf.slashes = leaf.slashes.saturating_mul(2).saturating_add(1);
        }
    }
    Some(inner)
}

/// Returns a string without its escapes, and the original position of each byte.
fn unescaped(value: &[u8]) -> (Vec<u8>, Vec<usize>, bool) {
    let (mut decoded, mut places) = (
        Vec::with_capacity(value.len()),
        Vec::with_capacity(value.len()),
    );
    let mut at = 0;
    while let Some(byte) = value.get(at).copied() {
        let (byte, length) = match (byte, bytes::at(value, at + 1)) {
            (b'\\', b'n') => (b'\n', 2),
            (b'\\', b't') => (b'\t', 2),
            (b'\\', b'r') => (b'\r', 2),
            (b'\\', b'u') => (escape(value, at), 6),
            (b'\\', other) => (other, 2),
            _ => (byte, 1),
        };
        decoded.push(byte);
        places.push(at);
        at += length;
    }
    (decoded, places, true)
}

/// Returns the ASCII character of an escape such as `\u0022`, or a substitute for other characters.
fn escape(value: &[u8], at: usize) -> u8 {
    let digits = value.get(at + 2..at + 6).filter(|d| bytes::all(d, HEX));
    let code = digits
        .and_then(|d| std::str::from_utf8(d).ok())
        .and_then(|d| u8::from_str_radix(d, 16).ok());
    code.filter(u8::is_ascii).unwrap_or(b'x')
}

/// Returns the lines of a block scalar without their indentation, and the original position of each byte.
fn dedented(value: &[u8]) -> (Vec<u8>, Vec<usize>, bool) {
    let (mut decoded, mut places) = (
        Vec::with_capacity(value.len()),
        Vec::with_capacity(value.len()),
    );
    let indent = value
        .split(|b| *b == b'\n')
        .skip(1)
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| line.iter().take_while(|b| **b == b' ').count())
        .min()
        .unwrap_or(0);
    let mut at = 0;
    for line in value.split_inclusive(|b| *b == b'\n') {
        let lead = line.iter().take_while(|b| **b == b' ').count();
        let cut = if at == 0 { 0 } else { lead.min(indent) };
        for (i, byte) in line.iter().enumerate().skip(cut) {
            decoded.push(*byte);
            places.push(at + i);
        }
        at += line.len();
    }
    (decoded, places, false)
}
