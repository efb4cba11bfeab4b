//! Tokens of issuers that are not listed: words that describe the token, then a random part, as in `acme_live_…`,
//! `acme-pat-…`.

use std::sync::LazyLock;

use crate::bytes::{self, ALPHA, DIGIT, URLSAFE};
use crate::data;
use crate::shape;
use crate::word_set::WordSet;

/// Words in a prefix that mark the rest as a credential.
static CREDENTIAL_WORDS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&[data::values("token_prefix")]));
/// Longest word of a prefix, in bytes.
const WORD_BYTES: usize = 14;
/// Longest prefix, in bytes.
const PREFIX_BYTES: usize = 40;
/// Shortest random part after a prefix without such a word, in bytes.
const RANDOM_BYTES: usize = 32;
/// Shortest random part after a prefix with such a word, in bytes.
const RANDOM_BYTES_AFTER_WORD: usize = 20;

/// Whether `token` is words followed by a random part.
pub(crate) fn is_prefixed(token: &[u8]) -> bool {
    if token.len() < RANDOM_BYTES_AFTER_WORD + 3
        || !bytes::is(bytes::at(token, 0), ALPHA)
        || !bytes::all(token, URLSAFE)
    {
        return false;
    }
    let (mut from, mut has_credential_word) = (0, false);
    for part in token.split(|b| matches!(b, b'_' | b'-')) {
        let digits = part.iter().filter(|b| bytes::is(**b, DIGIT)).count();
        let word = (1..=WORD_BYTES).contains(&part.len()) && digits <= 2 && digits < part.len();
        if !word || from + part.len() > PREFIX_BYTES {
            break;
        }
        has_credential_word = has_credential_word || CREDENTIAL_WORDS.has(part);
        from += part.len() + 1;
    }
    let body = token.get(from..).unwrap_or_default();
    // `group__CUDA__MATH_1g59fc…`: link anchors in documentation.
    let anchored = || body.starts_with(b"_") || token.windows(3).any(|w| w == b"___");
    if from == 0 || body.len() < RANDOM_BYTES_AFTER_WORD || shape::is_hex(body) || anchored() {
        return false;
    }
    if has_credential_word {
        return shape::is_uuid(body)
            || shape::is_random(body, RANDOM_BYTES_AFTER_WORD)
            || shape::is_jumbled(body);
    }
    body.len() >= RANDOM_BYTES
        && (shape::is_scrambled(body)
            || body.len() >= 48 && token.contains(&b'_') && shape::is_random(body, 40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_tokens_from_names() {
        for token in [
            "acme_live_q8Zx2LmP0aRt7VbNk3j9",
            "acme-pat-q8Zx2LmP0aRt7VbNk3j9x",
            "zork_q8Zx2LmP0aRt7VbNk3j9x0v2M4n8B6c1Z5q7",
            "zork_sk_3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        ] {
            assert!(is_prefixed(token.as_bytes()), "{token}");
        }
        for token in [
            "msg_01QbCdErtYuPLkjHgFdSaZxc",
            "payment-service-7d9f8b6c5d-x2x4z",
            "layer_9f2c1b7d8e4a5f60b1c2d3e4f5a6b7c8d9e0f1a2",
            "test_ThisIsALongNameOfATestWithManyWordsIn2Parts",
            "ubuntu-jammy-22-04-amd64-server-20230424",
            "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
        ] {
            assert!(!is_prefixed(token.as_bytes()), "{token}");
        }
    }
}
