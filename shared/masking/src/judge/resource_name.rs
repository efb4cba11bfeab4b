//! Names of things, which are not secret: names of secrets, resources and constants.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, ALPHA, DASH, DIGIT, DOT, LOWER, SLASH, UNDERSCORE, UPPER};
use crate::data;
use crate::shape;
use crate::word_set::WordSet;

static SECRET_WORDS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&[data::values("secret_word")]));

/// Whether the value is the name of a secret: several words, one of which means a secret, or one such name in camel
/// case.
pub(crate) fn is_name(value: &[u8]) -> bool {
    if !bytes::all(
        value,
        ALPHA | UNDERSCORE | DASH | DOT | bytes::COLON | SLASH,
    ) {
        return false;
    }
    let mut parts = value
        .split(|b| matches!(b, b'_' | b'-' | b'.' | b':' | b'/'))
        .filter(|part| !part.is_empty());
    let count = parts.clone().count();
    let has_secret_word = parts.any(|part| SECRET_WORDS.has(part));
    let camel = count == 1
        && value.iter().filter(|b| b.is_ascii_uppercase()).count() < 4
        && bytes::is(bytes::at(value, 0), LOWER)
        && bytes::any(value, UPPER)
        && ["password", "secret", "token", "key"]
            .iter()
            .any(|w| bytes::contains(value, w.as_bytes()));
    (has_secret_word && count >= 2) || camel
}

/// Whether the value is words, digits and hashes joined by dashes, dots or slashes, as in names of Kubernetes and
/// registries.
pub(crate) fn is_resource_name(value: &[u8]) -> bool {
    if !bytes::all(
        value,
        LOWER | DIGIT | DASH | DOT | SLASH | bytes::COLON | UNDERSCORE,
    ) || shape::is_uuid(value)
    {
        return false;
    }
    let parts = value.split(|b| matches!(b, b'-' | b'.' | b'/' | b':' | b'_'));
    let (mut words, mut total, mut longest) = (0, 0, 0);
    for part in parts {
        total += 1;
        longest = longest.max(if bytes::any(part, DIGIT) {
            part.len()
        } else {
            0
        });
        words += usize::from(
            !part.is_empty()
                && part.len() <= 14
                && part.iter().filter(|b| b.is_ascii_digit()).count() <= 1
                && (part.len() < 6 || !is_unpronounceable(part)),
        );
    }
    total >= 2 && words * 2 >= total && longest < 12
}

/// Whether the value has too few vowels for words.
pub(crate) fn is_unpronounceable(value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let vowels = value.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    vowels * 4 < letters
}

/// Whether the value repeats the name of its constant word for word: `SN_id_KeyMeshing_2814 = "id-KeyMeshing-2814"`.
pub(crate) fn repeats_name(text: &[u8], name_start: usize, value: &[u8]) -> bool {
    let mut words = value.split(|b| matches!(b, b'-' | b'_' | b'.'));
    if value.len() < 12 || words.clone().count() < 3 || words.any(<[u8]>::is_empty) {
        return false;
    }
    let end = bytes::run(text, name_start, ALNUM | UNDERSCORE, 96);
    let name = text.get(name_start..end).unwrap_or_default();
    let tail = name.len().checked_sub(value.len());
    let same = |(a, b): (&u8, &u8)| {
        a.eq_ignore_ascii_case(b) || *a == b'_' && matches!(b, b'-' | b'_' | b'.')
    };
    tail.is_some_and(|at| {
        let end_of_name = name.get(at..).unwrap_or_default();
        (at == 0 || bytes::before(name, at) == b'_') && end_of_name.iter().zip(value).all(same)
    })
}
