//! Tokenizer: word stems, compounds such as `bios-2.14.1`, filter terms.

use rust_stemmers::{Algorithm, Stemmer};

use super::stopwords::is_stopword;

/// Longest term, in bytes. Longer words are truncated.
const MAX_TERM: usize = 80;
/// Longest filter value, in bytes. Longer ones are truncated.
const MAX_FILTER: usize = 200;

/// Calls `found` with each token of a text. Tokens are runs of letters and digits, and compounds of such runs that are
/// joined by single characters of `-_./:` and contain a digit. Characters of scripts without spaces are single tokens.
pub(super) fn words<'t>(text: &'t str, mut found: impl FnMut(&'t str, bool)) {
    let mut compound: Option<(usize, usize, usize, bool)> = None;
    let mut word: Option<usize> = None;
    let mut previous = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if c.is_alphanumeric() {
            if is_ideograph(c) {
                finish(text, &mut word, at, &mut compound, &mut found);
                finish_compound(text, &mut compound, &mut found);
                found(&text[at..end], false);
                previous = Some(c);
                continue;
            }
            word.get_or_insert(at);
            let entry = compound.get_or_insert((at, end, 0, false));
            entry.1 = end;
            entry.3 |= c.is_ascii_digit();
        } else {
            finish(text, &mut word, at, &mut compound, &mut found);
            let joins = "-_./:".contains(c)
                && previous.is_some_and(char::is_alphanumeric)
                && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if !joins {
                finish_compound(text, &mut compound, &mut found);
            }
        }
        previous = Some(c);
    }
    finish(text, &mut word, text.len(), &mut compound, &mut found);
    finish_compound(text, &mut compound, &mut found);
}

fn finish<'t>(
    text: &'t str,
    word: &mut Option<usize>,
    end: usize,
    compound: &mut Option<(usize, usize, usize, bool)>,
    found: &mut impl FnMut(&'t str, bool),
) {
    if let Some(begin) = word.take() {
        found(&text[begin..end], false);
        if let Some(compound) = compound {
            compound.2 += 1;
        }
    }
}

fn finish_compound<'t>(
    text: &'t str,
    compound: &mut Option<(usize, usize, usize, bool)>,
    found: &mut impl FnMut(&'t str, bool),
) {
    if let Some((begin, end, parts, has_digit)) = compound.take()
        && parts > 1
        && has_digit
    {
        found(&text[begin..end], true);
    }
}

/// Whether this is a Chinese, Japanese or Korean character.
const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{2ffff}')
}

/// Returns the term of a word; `None` for stopwords.
pub(super) fn term(stemmer: &Stemmer, word: &str, is_compound: bool) -> Option<String> {
    let lower = word.to_lowercase();
    if is_compound || !lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Some(cut(&lower, MAX_TERM).to_owned());
    }
    if is_stopword(&lower) {
        return None;
    }
    Some(cut(&stemmer.stem(&lower), MAX_TERM).to_owned())
}

/// Returns the stemmer that all terms use.
pub(super) fn stemmer() -> Stemmer {
    Stemmer::create(Algorithm::English)
}

/// Returns the distinct terms of a question, and its possible identifiers, normalised.
pub(crate) fn question_terms(text: &str) -> (Vec<String>, Vec<String>) {
    let stemmer = stemmer();
    let (mut terms, mut identifiers) = (Vec::new(), Vec::new());
    words(text, |word, is_compound| {
        if let Some(term) = term(&stemmer, word, is_compound)
            && !terms.contains(&term)
        {
            terms.push(term);
        }
        if is_compound || word.bytes().any(|byte| byte.is_ascii_digit()) {
            identifiers.push(normalize(word));
        }
    });
    // Also add words as typed, for identifiers with spaces or punctuation.
    let typed = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ",;:!?\"'()[]`.".contains(c)));
    identifiers.extend(
        typed
            .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
            .map(normalize),
    );
    identifiers.push(normalize(text));
    identifiers.retain(|value| !value.is_empty() && value.len() <= MAX_FILTER);
    identifiers.sort_unstable();
    identifiers.dedup();
    (terms, identifiers)
}

/// Normalises a value for filters: lower-case, white space collapsed, truncated to 200 bytes.
pub(crate) fn normalize(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    cut(&words.join(" ").to_lowercase(), MAX_FILTER).to_owned()
}

/// Returns the index term of a field with a normalised value. The prefix distinguishes it from terms of words.
pub(crate) fn filter_term(field: &str, value: &str) -> String {
    format!("={field}={value}")
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{normalize, question_terms};

    #[test]
    fn words_are_stemmed_and_compounds_kept_whole() {
        let (terms, _) = question_terms(
            "Rebooting the BIOS-2.14.1 of rack R12/slot-4, and run lscpu. Größe 电源",
        );
        assert_eq!(
            terms,
            [
                "reboot",
                "bio",
                "2",
                "14",
                "1",
                "bios-2.14.1",
                "rack",
                "r12",
                "slot",
                "4",
                "r12/slot-4",
                "run",
                "lscpu",
                "größe",
                "电",
                "源"
            ]
        );
    }

    #[test]
    fn what_may_be_an_identifier_is_found() {
        let (_, found) = question_terms("Which rack has srv-042.lab (10.0.0.7)?");
        assert!(
            found.contains(&"srv-042.lab".to_owned()) && found.contains(&"10.0.0.7".to_owned())
        );
        assert!(!found.contains(&"rack".to_owned()));
        assert_eq!(normalize("  TC-7 \n B "), "tc-7 b");
    }

    #[test]
    fn odd_text_is_survived() {
        for text in [
            "",
            "---",
            "a-",
            "-a",
            "....1",
            "é".repeat(200).as_str(),
            "\u{0}\u{fffd}",
            "a-é",
        ] {
            let (terms, _) = question_terms(text);
            assert!(terms.iter().all(|term| term.len() <= 80));
        }
    }
}
