//! Splits a text into words as BERT does: without control characters, and without accents and case if `is_lower`.
//! Punctuation and Chinese characters become separate words.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

/// Compiles a class of characters beyond ASCII.
fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

static OTHER: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{Cc}\p{Cf}\p{Co}]"));
static ACCENT: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Mn}"));
static PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| class(r"\p{P}"));

fn is(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

/// Whether a character is removed.
fn is_control(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        _ if c.is_ascii() => c.is_ascii_control(),
        _ => is(&OTHER, c),
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() && !is_control(c)
}

/// Whether a character is punctuation, which becomes a separate word.
pub(crate) fn is_punctuation(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_punctuation(),
        false => is(&PUNCTUATION, c),
    }
}

/// Whether a character is in one of the blocks that BERT's own tokenizer lists.
const fn is_chinese(c: char) -> bool {
    matches!(c as u32,
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B73F
        | 0x2_B740..=0x2_B81F | 0x2_B920..=0x2_CEAF | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F)
}

/// Calls `on_word` with each word of a text, until it returns false.
pub(crate) fn each(text: &str, is_lower: bool, mut on_word: impl FnMut(&str) -> bool) {
    let mut word = String::new();
    for part in text.split(is_space) {
        let kept = part.chars().filter(|c| !is_control(*c));
        if !split(kept, is_lower, &mut word, &mut on_word) {
            return;
        }
    }
}

/// Splits the text between two spaces.
fn split(
    part: impl Iterator<Item = char>,
    is_lower: bool,
    word: &mut String,
    on_word: &mut impl FnMut(&str) -> bool,
) -> bool {
    word.clear();
    let mut push = |c: char| -> bool {
        let stands_alone = is_punctuation(c) || is_chinese(c);
        if stands_alone && !word.is_empty() {
            let goes_on = on_word(word);
            word.clear();
            if !goes_on {
                return false;
            }
        }
        word.push(c);
        if stands_alone {
            let goes_on = on_word(word);
            word.clear();
            return goes_on;
        }
        true
    };
    let goes_on = match is_lower {
        true => part
            .nfd()
            .filter(|c| c.is_ascii() || !is(&ACCENT, *c))
            .flat_map(char::to_lowercase)
            .all(&mut push),
        false => { part }.all(&mut push),
    };
    goes_on && (word.is_empty() || on_word(word))
}

#[cfg(test)]
mod tests {
    use super::each;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each(text, true, |word| {
            words.push(word.to_owned());
            true
        });
        words
    }

    #[test]
    fn marks_and_chinese_stand_alone_and_accents_go() {
        for (text, expected) in [
            ("Reboot host-07!", vec!["reboot", "host", "-", "07", "!"]),
            ("Überprüfung CAFÉ", vec!["uberprufung", "cafe"]),
            ("断电test", vec!["断", "电", "test"]),
            ("a\u{0}b\u{fffd}c\u{200b}d e\tf", vec!["abcd", "e", "f"]),
            ("«x»…", vec!["«", "x", "»", "…"]),
            (" \n ", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_read_as_far_as_it_is_wanted() {
        let text = "word ".repeat(1_000);
        let mut seen = 0;
        each(&text, true, |_| {
            seen += 1;
            seen < 3
        });
        assert_eq!(seen, 3);
    }
}
