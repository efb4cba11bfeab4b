//! Names that mention a secret but do not hold one: parts of resource names, methods, annotations.

use crate::bytes::{self, NAME};
use crate::data;
use crate::judge::name::{NAME_BYTES, classify, is_benign_before, is_key_of};
use crate::judge::resource_name;

/// Whether the position is in an Amazon resource name: `arn:aws:secretsmanager:…:secret:name`.
pub(crate) fn is_in_arn(text: &[u8], at: usize) -> bool {
    matches!(bytes::before(text, at), b':' | b'/') && {
        let from = bytes::run_back(text, at, NAME | bytes::COLON | bytes::SLASH, 200);
        let head = text.get(at.saturating_sub(120)..at).unwrap_or_default();
        // Also in an expression for such names.
        bytes::has_at(text, from, b"arn:") || bytes::contains(head, b":secretsmanager:")
    }
}

/// Whether the word that ends at `end` is part of a harmless name: `nextPageToken`, `public_key`, `cache key`.
pub(crate) fn is_benign(text: &[u8], end: usize) -> bool {
    let from = bytes::run_back(text, end, NAME, NAME_BYTES);
    let to = bytes::run(text, end, NAME, NAME_BYTES);
    let name = text.get(from..to).unwrap_or_default();
    name.len() > 8 && classify(name).is_none() || is_benign_key(text, from, name)
}

/// Whether `value` repeats the name around the word that ends at `end`.
pub(crate) fn repeats_name(text: &[u8], end: usize, value: &[u8]) -> bool {
    resource_name::repeats_name(text, bytes::run_back(text, end, NAME, NAME_BYTES), value)
}

/// Whether the name is a method call: `pwd.getpwnam(…)`, `test.pass(…)`.
pub(crate) fn is_method(text: &[u8], name: &[u8], name_end: usize) -> bool {
    bytes::at(text, name_end) == b'('
        && name.contains(&b'.')
        && name
            .rsplit(|b| *b == b'.')
            .next()
            .is_some_and(|last| matches!(last, b"pass" | b"pass_") || classify(last).is_none())
}

/// Whether the name is the second of two words that together mean `api_key`: `api key`, `license key`.
pub(crate) fn is_key_of_two_words(text: &[u8], start: usize, name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"key") && bytes::before(text, start) == b' ' && {
        let word = bytes::run_back(text, start - 1, NAME, NAME_BYTES);
        is_key_of(text.get(word..start - 1).unwrap_or_default())
    }
}

/// Whether the name only mentions a secret: `<set to the key 'x' in secret 'y'>`, `checksum/secret: …`.
pub(crate) fn is_mentioned(text: &[u8], start: usize) -> bool {
    let line = text
        .get(start.saturating_sub(160)..start)
        .unwrap_or_default();
    let line = line.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let described = line
        .windows(8)
        .rposition(|w| w == b"<set to ")
        .is_some_and(|at| !line.get(at..).unwrap_or_default().contains(&b'>'));
    described
        || data::values("checksum")
            .iter()
            .any(|word| word.ends_with('/') && line.ends_with(word.as_bytes()))
}

/// Whether the word before a bare `key` or `token` makes it harmless: `cache key`, `partition key`.
pub(crate) fn is_benign_key(text: &[u8], start: usize, name: &[u8]) -> bool {
    if !(name.eq_ignore_ascii_case(b"key") || name.eq_ignore_ascii_case(b"token"))
        || bytes::before(text, start) != b' '
    {
        return false;
    }
    let word = bytes::run_back(text, start - 1, NAME, NAME_BYTES);
    is_benign_before(text.get(word..start - 1).unwrap_or_default())
}

/// Whether the key is the name of a type: `"AWS::KMS::Key": …`.
pub(crate) fn is_type_name(text: &[u8], start: usize, end: usize) -> bool {
    let head = text.get(..start).unwrap_or_default();
    head.ends_with(b"::") && matches!(bytes::at(text, end), b'"' | b'\'')
}
