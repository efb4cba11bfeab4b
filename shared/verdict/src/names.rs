//! Finds names in a text: of pods, hosts, images, errors, keys.

use crate::compound::is_english;
use crate::text::{is_all, is_word};
use crate::words::Words;

/// Kinds, products and units, which look like names but do not identify anything that a result would show.
static NO_NAMES: Words = Words::new(include_str!("words/no_names.txt"));

/// Returns the tokens of a text that look like names, with the bytes at which they begin.
pub(crate) fn names_in(text: &str) -> Vec<(usize, &str)> {
    let is_between = |char: char| char.is_whitespace() || ",;()|\"\u{2014}\u{2192}".contains(char);
    let mut end = 0;
    let tokens = text.split_inclusive(is_between).map(|token| {
        end += token.len();
        (end - token.len(), trimmed(token))
    });
    tokens.filter(|(_, name)| has_shape(name)).collect()
}

/// Strips the punctuation around a token, and a possessive `'s`.
pub(crate) fn trimmed(token: &str) -> &str {
    let token =
        token.trim_matches(|char: char| !char.is_alphanumeric() && !matches!(char, '/' | '@'));
    let token = token.trim_end_matches('/');
    token
        .strip_suffix("'s")
        .or_else(|| token.strip_suffix("\u{2019}s"))
        .unwrap_or(token)
}

/// Whether a name that is marked as code can be looked up: it has letters or is an address, and identifies something.
pub(crate) fn is_marked_name(name: &str) -> bool {
    let is_address = has_shape(name);
    name.len() >= 2 && (name.chars().any(char::is_alphabetic) || is_address) && !is_no_name(name)
}

fn is_no_name(name: &str) -> bool {
    let singular = name.trim_end_matches('s');
    let mut words = NO_NAMES.iter();
    words.any(|word| word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(singular))
}

fn has_shape(name: &str) -> bool {
    let chars: Vec<char> = name.chars().take(200).collect();
    if chars.len() < 3 || is_no_name(name) || crate::units::readings(name).is_some() {
        return false;
    }
    let has_letter = chars.iter().any(|char| char.is_alphabetic());
    let has_digit = chars.iter().any(char::is_ascii_digit);
    if !has_letter {
        // Addresses and versions.
        let parts: Vec<&str> = name.split('.').collect();
        let is_digits = |text: &str| !text.is_empty() && is_all(text, u8::is_ascii_digit);
        let is_number = |part: &&str| part.split(['/', ':']).all(is_digits);
        return parts.len() >= 3 && parts.iter().all(is_number);
    }
    if name.contains("://")
        || name.contains('@') && name.contains('.')
        || name.contains('_')
        || name.starts_with('/') && chars.len() > 3
    {
        return true;
    }
    let joins = |join: char| {
        let mut sides = name.split(join);
        sides.clone().count() > 1 && sides.all(|side| side.chars().any(is_word))
    };
    if joins('/') {
        return name.split('/').any(|side| has_shape(side) && side != name);
    }
    if joins(':') && !name.starts_with(|char: char| char.is_ascii_digit()) {
        return name.split(':').all(|side| !side.is_empty())
            && (has_digit || name.contains(['-', '.']));
    }
    if joins('=') || joins('.') && is_dotted(name) {
        return true;
    }
    if joins('-') {
        return is_hyphenated_name(name, has_digit);
    }
    is_cased(&chars) || is_mixed(name, has_digit)
}

fn is_dotted(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    // Not names: the end of a sentence without a blank after it, and `e.g`.
    let is_sentence = parts
        .iter()
        .zip(parts.iter().skip(1))
        .any(|(before, after)| {
            after.starts_with(char::is_uppercase) && before.chars().all(char::is_lowercase)
        });
    let has_word = parts.iter().any(|part| part.len() > 1);
    has_word
        && (!is_sentence || parts.len() > 2)
        && !name.starts_with(|char: char| char.is_ascii_digit() && parts.len() == 2)
}

fn is_hyphenated_name(name: &str, has_digit: bool) -> bool {
    let first = name.split('-').next().unwrap_or_default();
    if has_digit {
        // `5-minute window`, `two-3`, `2026-11-28`.
        let is_count = is_all(first, |byte| byte.is_ascii_digit() || *byte == b'.');
        let mut rest = name.bytes().skip(first.len());
        return !is_count
            || (rest.any(|byte| byte.is_ascii_digit()) && name.contains(char::is_alphabetic));
    }
    !is_english(name) && name.split('-').all(|part| part.len() != 1)
}

/// Whether the capitals of a word mark it as a name: `OOMKilled`, `KeyError`, `NXDOMAIN`.
fn is_cased(chars: &[char]) -> bool {
    if !chars.iter().all(|char| is_word(*char)) {
        return false;
    }
    let upper = chars.iter().filter(|char| char.is_uppercase()).count();
    let lower = chars.iter().filter(|char| char.is_lowercase()).count();
    let turns = chars
        .windows(2)
        .any(|pair| matches!(pair, [one, two] if one.is_lowercase() && two.is_uppercase()));
    (turns && upper >= 2) || (upper >= 3 && lower >= 3) || (lower == 0 && upper >= 7)
}

/// Whether digits in a word mark it as a name: `eth1`, `9f2c1ab`.
fn is_mixed(name: &str, has_digit: bool) -> bool {
    if !has_digit || !is_all(name, u8::is_ascii_alphanumeric) {
        return false;
    }
    match name.starts_with(|char: char| char.is_ascii_digit()) {
        true => name.len() >= 7 && is_all(name, u8::is_ascii_hexdigit),
        false => true,
    }
}

/// Whether a name is a path of a file or a URL. Answers often mention those in passing.
pub(crate) fn is_path(name: &str) -> bool {
    name.starts_with('/') || name.contains("://") || name.matches('/').count() > 1
}
