//! Whole values under keys that name a secret.

use std::sync::LazyLock;

use crate::bytes;
use crate::context::Context;
use crate::data;
use crate::find::keyed;
use crate::span::Quoting;
use crate::structure::{NONE, Role, Structure, Style};
use crate::word_set::{Substrings, WordSet};

static NAME_KEYS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("name_key")]));
static VALUE_KEYS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::values("value_key")]));
static CHECKSUMS: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(data::values("checksum")));

/// Claims the values of every key that names a secret, and of every `name` next to a `value`.
pub(crate) fn scan(context: &mut Context<'_>) {
    if context.has_secret_name {
        context.read_structure();
    }
    let Some(structure) = context.structure.take() else {
        return;
    };
    let mut claimed: Vec<(usize, usize)> = context.spans.iter().map(|s| (s.start, s.end)).collect();
    claimed.sort_unstable();
    let words = std::mem::take(&mut context.names);
    let (mut last, mut near) = (usize::MAX, 0);
    for word in &words {
        let Some(index) = word
            .checked_sub(1)
            .and_then(|at| structure.next_leaf_at(&mut near, at))
        else {
            continue;
        };
        if index == last {
            continue;
        }
        last = index;
        match structure.leaves.get(index).map(|leaf| leaf.role) {
            Some(Role::Key) => of_key(context, &structure, &claimed, index),
            Some(Role::Value) => of_name(context, &structure, index),
            _ => {}
        }
    }
    context.names = words;
    context.structure = Some(structure);
}

fn of_key(
    context: &mut Context<'_>,
    structure: &Structure,
    claimed: &[(usize, usize)],
    key: usize,
) {
    let Some(leaf) = structure.leaves.get(key) else {
        return;
    };
    // `/prod/db/password`, `//registry/:_authToken`: the last part is the name.
    let name = last_part(context.bytes, leaf.start, leaf.end);
    if is_checksum(context.bytes, leaf.start, leaf.end) {
        return;
    }
    let owner = u32::try_from(key).unwrap_or(NONE);
    for (index, value) in structure.leaves.iter().enumerate().skip(key + 1) {
        if value.owner == owner {
            // Judging is the most expensive step, so skip values that the name's own finder has claimed as a whole.
            if claimed.binary_search(&(value.start, value.end)).is_err() {
                claim(context, structure, name, index, false);
            }
        } else if value.role == Role::Key {
            if index == key + 1 && value.group > leaf.group {
                within(context, structure, name, index);
            }
            break;
        }
    }
}

/// Claims the value in a mapping under `name`: `password: {type: …, sensitive: true, value: …}`. The first key of the
/// mapping is at `first`.
fn within(context: &mut Context<'_>, structure: &Structure, name: (usize, usize), first: usize) {
    let group = structure.leaves.get(first).map_or(NONE, |leaf| leaf.group);
    let mapping = structure.leaves.iter().enumerate().skip(first).take(12);
    for (index, leaf) in mapping.take_while(|(_, leaf)| leaf.group >= group) {
        let owner = structure.leaves.get(leaf.owner as usize);
        let valued = leaf.role == Role::Value
            && owner.is_some_and(|key| {
                key.group == group && context.bytes.get(key.start..key.end) == Some(b"value")
            });
        if valued {
            claim(context, structure, name, index, true);
        }
    }
}

/// Claims the value in a mapping with `name: DB_PASSWORD` and `value: …`, in either order.
fn of_name(context: &mut Context<'_>, structure: &Structure, index: usize) {
    let text = context.bytes;
    let Some(leaf) = structure.leaves.get(index) else {
        return;
    };
    let key_is = |owner: u32, keys: &WordSet| {
        structure.leaves.get(owner as usize).is_some_and(|key| {
            let key = text.get(key.start..key.end).unwrap_or_default();
            keys.has(key)
        })
    };
    let name = text.get(leaf.start..leaf.end).unwrap_or_default();
    if name.starts_with(b"-") && !name.contains(&b' ') && !name.contains(&b'=') {
        let next = structure.leaves.get(index + 1).filter(|next| {
            let value = text.get(next.start..next.end).unwrap_or_default();
            next.role == Role::Value && next.group == leaf.group && !value.starts_with(b"-")
        });
        if next.is_some() {
            claim(context, structure, (leaf.start, leaf.end), index + 1, true);
        }
        return;
    }
    if leaf.style == Style::Quoted && assigned(context, (leaf.start, leaf.end)) {
        return;
    }
    if !key_is(leaf.owner, &NAME_KEYS) {
        return;
    }
    let name = text.get(leaf.start..leaf.end).unwrap_or_default();
    if name.len() > 96 || name.contains(&b' ') {
        return;
    }
    let name = last_part(text, leaf.start, leaf.end);
    let near = index.saturating_sub(12)..(index + 12).min(structure.leaves.len());
    for other in near {
        let is_sibling = structure
            .leaves
            .get(other)
            .is_some_and(|l| l.group == leaf.group && l.role == Role::Value && other != index);
        let owner = structure.leaves.get(other).map_or(NONE, |l| l.owner);
        if is_sibling && key_is(owner, &VALUE_KEYS) {
            claim(context, structure, name, other, true);
        }
    }
}

/// Claims the value of a string that is one assignment, such as `"DB_PASSWORD=…"`. It extends to the end of the string.
/// Returns whether the string is one.
fn assigned(context: &mut Context<'_>, leaf: (usize, usize)) -> bool {
    let equals = bytes::run(context.bytes, leaf.0, bytes::NAME, 96);
    let is_one = equals > leaf.0 && equals < leaf.1 && bytes::at(context.bytes, equals) == b'=';
    let value = (equals + 1, leaf.1);
    let text = context.bytes.get(value.0..value.1).unwrap_or_default();
    // Only values that would end sooner in other text need this. All others are found in any text.
    let odd = text
        .iter()
        .any(|b| matches!(b, b'\\' | b'"' | b'\'' | b' ' | b';' | b','));
    if is_one && odd && !text.windows(2).any(|w| w == b" -") {
        let name = (leaf.0, equals);
        if let Some(pattern) = keyed::whole_is_secret(context.bytes, name, value, Style::Quoted) {
            context.claim_whole(value.0, value.1, pattern, Quoting::None);
        }
    }
    is_one
}

fn claim(
    context: &mut Context<'_>,
    structure: &Structure,
    name: (usize, usize),
    index: usize,
    paired: bool,
) {
    let Some(leaf) = structure.leaves.get(index) else {
        return;
    };
    let value = (leaf.start, leaf.end);
    let text = context.bytes.get(leaf.start..leaf.end).unwrap_or_default();
    // A single word is judged as in any text, because a claim here takes the whole value.
    let plain = matches!(leaf.style, Style::Plain | Style::Line | Style::Flow);
    let code = leaf.style == Style::Line
        && !(structure.is_configuration && structure.keys > 3 || structure.is_sectioned)
        || structure.keys < 2
        || text.ends_with(b";")
        || text.ends_with(b",");
    if plain && code && !paired && !text.contains(&b' ') {
        return;
    }
    if let Some(pattern) = keyed::whole_is_secret(context.bytes, name, value, leaf.style) {
        let (from, to, quoting) = leaf.cut(context.bytes, leaf.start, leaf.end);
        context.claim_whole(from, to, pattern, quoting);
    } else if leaf.style == Style::Quoted {
        keyed::words_within(context, name, value);
    }
}

/// Returns the last part of the name at `start..end`, e.g. in `//registry/:_authToken`, `environ["DB_PASSWORD"]`,
/// `let key`.
fn last_part(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let name = text.get(start..end).unwrap_or_default();
    let last = name.iter().rposition(|b| bytes::is(*b, bytes::NAME));
    let to = start + last.map_or(name.len(), |at| at + 1);
    (bytes::run_back(text, to, bytes::NAME, to - start), to)
}

/// Whether the name is an annotation about a secret: `checksum/secret`.
fn is_checksum(text: &[u8], start: usize, end: usize) -> bool {
    let name = text.get(start..end).unwrap_or_default();
    CHECKSUMS.found(name)
}
