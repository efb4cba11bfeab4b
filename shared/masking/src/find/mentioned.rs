//! Values that a sentence gives to a secret mentioned before: `… the cookie differs, set it to …`.

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, UNDERSCORE, UPPER};
use crate::context::Context;
use crate::find::line::{LINE_BYTES, claim};
use crate::judge::identifier::is_identifier;
use crate::judge::resource_name::{is_resource_name, is_unpronounceable};
use crate::pattern::Pattern;
use crate::shape;

/// Longest distance between the mention of a secret and its value, in bytes.
const HEAD_BYTES: usize = 200;
/// Words for a secret in a sentence.
const SECRETS: [&[u8]; 9] = [
    b"password",
    b"passwort",
    b"passphrase",
    b"secret",
    b"token",
    b"cookie",
    b"credential",
    b"api key",
    b"contrase",
];

/// Claims the word at `end`, if a secret was mentioned before the anchor at `start`. The anchor introduces the secret's
/// value.
pub(crate) fn find_mentioned(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let head = text
        .get(start.saturating_sub(HEAD_BYTES)..start)
        .unwrap_or_default();
    let above = head
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, b)| **b == b'\n')
        .nth(1);
    let head = head
        .get(above.map_or(0, |(at, _)| at)..)
        .unwrap_or_default();
    let from = end + usize::from(matches!(bytes::at(text, end), b'`' | b'"' | b'\''));
    let quote = if from > end { bytes::at(text, end) } else { 0 };
    let line = text
        .get(from..bytes::line_end(text, from, LINE_BYTES))
        .unwrap_or_default();
    let stop = |b: &u8| {
        if quote > 0 {
            *b == quote
        } else {
            b.is_ascii_whitespace() || b",;)".contains(b)
        }
    };
    let length = line.iter().position(stop).unwrap_or(line.len());
    let word = line.get(..length).unwrap_or_default();
    let word = word.strip_suffix(b".").unwrap_or(word);
    if SECRETS.iter().any(|secret| bytes::contains(head, secret)) && is_credential(word) {
        claim(context, from, from + word.len(), Pattern::Secret);
    }
}

/// Whether a word can only be the secret itself, not a number, a setting or a name.
fn is_credential(word: &[u8]) -> bool {
    let drawn = shape::is_random(word, 8)
        || shape::is_drawn(word)
        || shape::is_jumbled(word)
        || shape::is_leet(word)
        || word.len() >= 16
            && bytes::all(word, UPPER)
            && (is_unpronounceable(word) || shape::entropy(word) > 3.0);
    let odd = bytes::any(word, ALPHA)
        && bytes::any(word, DIGIT)
        && word
            .iter()
            .any(|b| !bytes::is(*b, ALNUM | UNDERSCORE | DASH | DOT));
    let constant = word.contains(&b'_') && bytes::all(word, UPPER | DIGIT | UNDERSCORE);
    let reference = word
        .iter()
        .any(|b| b"/\\<>{}()[]=$:".contains(b) || b.is_ascii_whitespace());
    (8..=128).contains(&word.len())
        && (drawn || odd)
        && !constant
        && !reference
        && !is_resource_name(word)
        && !is_identifier(word)
}
