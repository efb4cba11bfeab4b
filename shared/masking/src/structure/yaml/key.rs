//! Names in YAML, and sentences that only look like names.

use crate::bytes::{self, NAME};
use crate::structure::leaf::{Leaf, NONE, Role, Structure, Style};

/// Kind of the text before a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    Name,
    /// Words that mention a secret. They are a name if the text has other names; otherwise they start a sentence.
    Sentence,
    /// Text that is not a name.
    Text,
}

/// Classifies the unquoted `key`.
pub(super) fn kind(key: &[u8]) -> KeyKind {
    if bytes::all(key, bytes::YAML_KEY) {
        return KeyKind::Name;
    }
    let words = key.split(|b| *b == b' ').count();
    let worded = words <= 3 && key.iter().all(|b| *b == b' ' || bytes::is(*b, NAME));
    if worded && !mentions_secret(key) {
        KeyKind::Name
    } else if worded {
        KeyKind::Sentence
    } else {
        KeyKind::Text
    }
}

/// Whether words before a colon mention a secret: `db password for bob`.
fn mentions_secret(key: &[u8]) -> bool {
    [
        &b"pass"[..],
        b"secret",
        b"token",
        b"key",
        b"pw",
        b"auth",
        b"cred",
    ]
    .iter()
    .any(|word| bytes::contains(key, word))
}

/// Decides whether keys that look like sentences are names, now that all names are known.
pub(super) fn classify_sentences(leaves: &mut [Leaf]) {
    let is_sentence = |leaf: &Leaf| leaf.role == Role::Key && leaf.style == Style::Line;
    if !leaves.iter().any(is_sentence) {
        return;
    }
    let names = leaves
        .iter()
        .filter(|leaf| leaf.role == Role::Key && !is_sentence(leaf))
        .count();
    for at in 0..leaves.len() {
        let (before, after) = leaves.split_at_mut(at + 1);
        let Some(leaf) = before.last_mut().filter(|leaf| is_sentence(leaf)) else {
            continue;
        };
        leaf.style = Style::Plain;
        if names >= 2 {
            continue;
        }
        leaf.role = Role::Text;
        let owner = u32::try_from(at).unwrap_or(NONE);
        if let Some(value) = after.first_mut().filter(|value| value.owner == owner) {
            value.owner = NONE;
            if value.style == Style::Plain {
                // The whole line is one text. Its value is empty and comes after it.
                (leaf.end, leaf.style) = (value.end, Style::Line);
                value.start = value.end;
            }
        }
    }
}

/// Turns the leaf at `key`, which looked like a sentence, into a key, because it has content below it. A leaf that
/// contains an assignment (`token = 'x' items:`) stays a text, in which secrets are masked.
pub(super) fn opened(found: &mut Structure, text: &[u8], key: u32) {
    if let Some(leaf) = found.leaves.get_mut(key as usize)
        && leaf.role == Role::Text
        && leaf.style == Style::Plain
        && !text
            .get(leaf.start..leaf.end)
            .is_some_and(|key| key.contains(&b'='))
    {
        leaf.role = Role::Key;
    }
}
