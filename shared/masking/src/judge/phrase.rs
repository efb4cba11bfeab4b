//! Values of several words: passphrases, and sentences that only mention a secret.

use std::sync::LazyLock;

use crate::bytes::{self, ALPHA, DIGIT, UPPER};
use crate::data;
use crate::judge::name::{Class, Weight};
use crate::pattern::Pattern;
use crate::word_set::WordSet;

static WORDS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        data::values("label"),
        data::values("filler"),
        data::values("possible_label"),
    ])
});
const IS_LABEL: u16 = 1;
const IS_WEAK: u16 = 1 << 1;
const IS_POSSIBLE_LABEL: u16 = 1 << 2;

/// Longest passphrase, in bytes.
const PHRASE_BYTES: usize = 128;

/// Whether the words of `value`, under a name of `class`, are the secret and not a remark about it. `given` is true if
/// the value can only belong to the name: it is in quotes, or a member of a structure.
pub(crate) fn is_secret(value: &[u8], class: Class, given: bool) -> bool {
    let is_strong_class = class.weight == Weight::Password
        || class.weight == Weight::Token && class.pattern == Pattern::Secret;
    let odd = bytes::any(value, DIGIT) || value.iter().any(|b| b"!@#$%^&*+~".contains(b));
    if is_code(value) || !given && is_separated(value) {
        return false;
    }
    (is_strong_class || odd && class.weight == Weight::Token) && is_passphrase(value)
        || is_strong_class && given && is_lower_case(value)
}

/// Whether `word` is a function word, as in any sentence.
pub(crate) fn is_filler(word: &[u8]) -> bool {
    WORDS.lists(word) & IS_WEAK != 0
}

/// Whether the value contains no function words.
pub(crate) fn is_terse(value: &[u8]) -> bool {
    let mut words = value.split(u8::is_ascii_whitespace);
    !words.any(is_filler)
}

fn is_passphrase(value: &[u8]) -> bool {
    if value.len() > PHRASE_BYTES || value.contains(&b'\n') {
        return false;
    }
    let (mut count, mut weak, mut has_label, mut unpunctuated) = (0_usize, 0_usize, false, 0_usize);
    for (core, word) in words(value) {
        count += 1;
        unpunctuated += usize::from(core.len() == word.len());
        let lists = WORDS.lists(core);
        weak += usize::from(lists & IS_WEAK != 0);
        has_label |= lists & (IS_LABEL | IS_POSSIBLE_LABEL) != 0;
    }
    let odd = bytes::any(value, DIGIT);
    let last = bytes::before(value, value.len());
    // `… is insecure. Use …`, or `Elementet har ikke et …` in a language whose function words are on no list.
    let sentence = has_full_stop(value)
        || !odd
            && count >= 3
            && bytes::is(bytes::at(value, 0), UPPER)
            && (matches!(last, b'.' | b'!' | b'?' | b':')
                || count >= 5 && is_lower_case_sentence(value));
    (2..=10).contains(&count)
        && !has_label
        && !sentence
        && last != b':'
        && (weak * 5 <= count * 2 || odd && weak * 2 <= count)
        && (unpunctuated > 0 || odd)
        && value.iter().any(|b| bytes::is(*b, ALPHA) || *b >= 128)
}

/// Whether one sentence ends and another begins within the value.
fn has_full_stop(value: &[u8]) -> bool {
    let within = |w: &[u8; 4]| {
        bytes::is(w[0], bytes::LOWER) && w[1] == b'.' && w[2] == b' ' && bytes::is(w[3], UPPER)
    };
    value.array_windows().any(within)
}

/// Whether all words but the first are in lower case or another alphabet, as in a sentence.
fn is_lower_case_sentence(value: &[u8]) -> bool {
    let mut words = value.split(u8::is_ascii_whitespace).skip(1);
    words.all(|word| !bytes::is(bytes::at(word, 0), UPPER) && !bytes::any(word, DIGIT))
}

/// Whether a phrase is unlike labels, messages and documentation. It must be in lower case, without a full stop, and
/// have at most one word that labels use.
fn is_lower_case(value: &[u8]) -> bool {
    let last = bytes::before(value, value.len());
    let begins = bytes::is(bytes::at(value, 0), bytes::LOWER);
    if !begins || value.len() > PHRASE_BYTES || value.contains(&b'\n') {
        return false;
    }
    let (mut count, mut weak, mut labels) = (0_usize, 0_usize, 0_usize);
    for (core, _) in words(value) {
        let lists = WORDS.lists(core);
        if lists & IS_LABEL != 0 {
            return false;
        }
        count += 1;
        weak += usize::from(lists & IS_WEAK != 0);
        labels += usize::from(lists & IS_POSSIBLE_LABEL != 0);
    }
    (2..=10).contains(&count)
        && labels <= 1
        && weak * 3 <= count * 2
        && !matches!(last, b'.' | b':' | b',' | b';' | b'?')
}

/// Returns the words of `value`. Each is a pair of the letters at its core and the whole word without `'s`.
fn words(value: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    value
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| {
            let word = word.strip_suffix(b"'s").unwrap_or(word);
            let from = word
                .iter()
                .position(|b| is_letter(*b))
                .unwrap_or(word.len());
            let to = word
                .iter()
                .rposition(|b| is_letter(*b))
                .map_or(from, |i| i + 1);
            (word.get(from..to).unwrap_or_default(), word)
        })
}

fn is_letter(byte: u8) -> bool {
    bytes::is(byte, ALPHA) || byte >= 128
}

/// Whether the value contains brackets, operators or formats of programs.
fn is_code(value: &[u8]) -> bool {
    value
        .iter()
        .any(|b| matches!(b, b'{' | b'}' | b'<' | b'>' | b'|' | b'`'))
        || value.contains(&b'(') && value.contains(&b')')
        || value.contains(&b'[') && value.contains(&b']')
        || contains_any(value, data::values("code_mark"))
}

/// Whether the value contains separators of the parts of a program or a message.
fn is_separated(value: &[u8]) -> bool {
    contains_any(value, data::values("code_separator"))
}

fn contains_any(value: &[u8], marks: &[&str]) -> bool {
    let holds = |mark: &str| value.windows(mark.len()).any(|w| w == mark.as_bytes());
    marks.iter().any(|mark| holds(mark))
}
