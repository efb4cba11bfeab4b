//! Words before a token that mark it as an identifier, a checksum, or public.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, DOT, URLSAFE};
use crate::data;
use crate::word_set::{Prefixes, Substrings, WordSet};

static IDENTIFIERS: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(data::values("benign_context")));
static DIGESTS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(data::values("digest")));

/// Whether the words before a token mark it as an identifier or a checksum.
pub(crate) fn is_benign_context(named: &[u8]) -> bool {
    if IDENTIFIERS.found(named) {
        return true;
    }
    is_id(named)
}

/// Whether the last name before a token ends in `id`.
pub(crate) fn is_id(named: &[u8]) -> bool {
    let trimmed = named
        .iter()
        .rposition(|b| bytes::is(*b, ALNUM))
        .map_or(0, |i| i + 1);
    let name_start = bytes::run_back(named, trimmed, URLSAFE | DOT, 48);
    let name = named.get(name_start..trimmed).unwrap_or_default();
    let tail = name.get(name.len().saturating_sub(3)..).unwrap_or_default();
    name.eq_ignore_ascii_case(b"id")
        || name.eq_ignore_ascii_case(b"uid")
        || name.ends_with(b"Id")
        || name.ends_with(b"ID")
        || tail.eq_ignore_ascii_case(b"_id")
        || tail.eq_ignore_ascii_case(b"-id")
        || tail.eq_ignore_ascii_case(b".id")
}

/// Whether the last name before a token means a user. Vault has users such as `v-token-…`.
pub(crate) fn is_user(named: &[u8]) -> bool {
    let trimmed = named
        .iter()
        .rposition(|b| bytes::is(*b, ALNUM))
        .map_or(0, |i| i + 1);
    let name_start = bytes::run_back(named, trimmed, ALNUM, 48);
    let name = named.get(name_start..trimmed).unwrap_or_default();
    name.eq_ignore_ascii_case(b"user") || name.eq_ignore_ascii_case(b"username")
}

/// Whether `sha256:` or `sha512-` is directly before the token, or at its start.
pub(crate) fn is_digest_label(text: &[u8], start: usize) -> bool {
    let labelled = |at: usize| DIGESTS.length_at(text, at).is_some();
    let before = start.saturating_sub(1);
    let word = bytes::run_back(text, before, ALNUM, 8);
    labelled(start) || (matches!(bytes::at(text, before), b':' | b'-' | b'=') && labelled(word))
}

/// Whether the name of the value at `start` marks it as public: `public_key = "…`.
pub(crate) fn is_public(text: &[u8], start: usize) -> bool {
    let between = |b: &&u8| matches!(b, b'"' | b'\'' | b'\\' | b':' | b'=' | b' ');
    let head = text
        .get(start.saturating_sub(48)..start)
        .unwrap_or_default();
    let gap = head.iter().rev().take_while(between).count();
    let end = start - gap;
    let assigned = text
        .get(end..start)
        .is_some_and(|gap| gap.iter().any(|b| matches!(b, b':' | b'=')));
    let from = bytes::run_back(text, end, URLSAFE | DOT, 48);
    assigned && bytes::contains(text.get(from..end).unwrap_or_default(), b"public")
}

static AMBIENT: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&[data::services("ambient")]));

/// Whether a service's name suggests only that a hexadecimal token is an id.
pub(crate) fn is_ambient(service: &[u8]) -> bool {
    AMBIENT.has(service)
}
