//! Recognises answers that state that they found no cause, or that nothing is wrong.

use crate::quotes::without_quotations;
use crate::sentences::words;
use crate::text::{end, normalized};
use crate::words::Words;

/// Phrases that, after a word for the cause, state that it is not known.
static NOT_KNOWN: Words = Words::new(include_str!("words/not_known.txt"));
/// Phrases that also state this, unless the words before them name a cause. Error messages contain them too.
static NOT_THERE: Words = Words::new(include_str!("words/not_there.txt"));
static NAMES_CAUSE: Words = Words::new(include_str!("words/names_cause.txt"));
/// Phrases that state that there is no cause.
static NO_CAUSE: Words = Words::new(include_str!("words/no_cause.txt"));
/// Phrases that, at the beginning of the text, state that the cause was not found.
static NOT_FOUND: Words = Words::new(include_str!("words/not_found.txt"));
static CAUSES: Words = Words::new(include_str!("words/causes.txt"));

/// Nouns for a fault. A text that denies them states that nothing is wrong.
static FAULTS: Words = Words::new(include_str!("words/faults.txt"));
static EXISTS: Words = Words::new(include_str!("words/exists.txt"));
static NO_FAULT: Words = Words::new(include_str!("words/no_fault.txt"));
/// Phrases that state this of a part of the system.
static NO_FAULT_OF_PART: Words = Words::new(include_str!("words/no_fault_of_part.txt"));
/// Words right before one of these phrases that reverse its meaning.
static DENIED: Words = Words::new(include_str!("words/denied.txt"));
/// Words after `no` that deny only further faults, besides one that was named.
const OTHER: [&str; 6] = ["other", "further", "additional", "more", "new", "such"];
/// Words after a denial that limit it to a part of the system.
const PARTS: [&str; 6] = ["with", "in", "on", "of", "for", "from"];
/// Words of sentences that name a cause.
static GOES_WRONG: Words = Words::new(include_str!("words/goes_wrong.txt"));
/// Phrases before something that was not the cause.
static NOT_THE_CAUSE: Words = Words::new(include_str!("words/not_the_cause.txt"));
/// Words that make a denial name a cause after all.
static INSTEAD: Words = Words::new(include_str!("words/instead.txt"));
static BUT: Words = Words::new(include_str!("words/but.txt"));

/// Returns the normalised sentences of a text. All but the first begin with a blank.
fn sentences(text: &str) -> Vec<String> {
    let mut text = normalized(text);
    for mark in ['.', '!', '?', ';'] {
        text = text.replace(&format!("{mark} "), "\n ");
    }
    let text = text.strip_suffix(['.', '!', '?']).unwrap_or(&text);
    text.split('\n').map(str::to_owned).collect()
}

/// Whether the text states that the cause was not found.
pub(crate) fn is_inconclusive(text: &str) -> bool {
    let says = |sentence: &String| {
        let distance = distance_to_not_known(sentence);
        NO_CAUSE.is_in(sentence) || distance.is_some_and(|distance| distance < 60)
    };
    let stands_alone = |sentence: &String| {
        let text = sentence.trim().trim_start_matches(['*', '-', ' ']);
        NOT_FOUND.begins(&format!("{text}."))
    };
    let sentences = sentences(&without_quotations(text));
    sentences.iter().take(3).any(says)
        || sentences.first().is_some_and(stands_alone)
        || only_denies(&sentences)
}

/// Returns the distance from a word for the cause to a phrase that states that the cause is not known.
fn distance_to_not_known(sentence: &str) -> Option<usize> {
    let after = sentence.get(CAUSES.first_in(sentence)?..)?;
    let names_no_cause = |at: &usize| !NAMES_CAUSE.is_in(after.get(..*at).unwrap_or_default());
    let not_there = NOT_THERE.first_in(after).filter(names_no_cause);
    NOT_KNOWN.first_in(after).into_iter().chain(not_there).min()
}

/// Whether the sentences state only what the cause was not: `The restart was not due to an error.`
fn only_denies(sentences: &[String]) -> bool {
    let mut said = sentences.iter().filter(|one| !one.trim().is_empty());
    let denies = |sentence: &String| {
        let mut denials = NOT_THE_CAUSE.iter();
        denials
            .find(|words| sentence.contains(*words))
            .is_some_and(|denial| {
                let rest = sentence.replacen(denial, "", 1);
                !INSTEAD.is_in(&rest) && !BUT.is_in(&rest)
            })
    };
    said.next().is_some_and(denies) && said.all(denies)
}

/// Whether one of the first three sentences of a text states that nothing is wrong.
///
/// A sentence that only a part has no fault counts if no other sentence names a fault. A verdict that hides a fault is
/// worse than one that misses a healthy system.
#[must_use]
pub fn is_no_fault(text: &str) -> bool {
    let sentences = sentences(text);
    let goes_wrong_beside = |number: usize| {
        let mut others = sentences.iter().enumerate();
        others.any(|(other, sentence)| other != number && GOES_WRONG.is_in(&words(sentence)))
    };
    let mut first = sentences.iter().take(3).enumerate();
    first.any(|(number, sentence)| match denies_part(sentence) {
        None => false,
        Some(is_part) => !is_part || !goes_wrong_beside(number),
    })
}

/// Whether a sentence denies a fault only of a part (`true`) or of everything (`false`); `None` if it denies no fault.
fn denies_part(sentence: &str) -> Option<bool> {
    if BUT.is_in(sentence) {
        return None;
    }
    for (phrases, is_part) in [(&NO_FAULT_OF_PART, true), (&NO_FAULT, false)] {
        if let Some(at) = phrases.first_in(sentence) {
            let before = sentence.get(..at).unwrap_or_default();
            let is_denied = DENIED.ends(&format!(" {before}"));
            return (!is_denied).then_some(is_part);
        }
    }
    let denials = FAULTS.iter().filter_map(|fault| {
        let (before, after) = sentence.split_at(sentence.find(fault)?);
        let near = end(before, 30);
        let not_found = near.ends_with("not find any ");
        let mut words = near.split_whitespace().skip_while(|word| *word != "no");
        let is_denied = words.next().is_some() || not_found;
        let is_other = words.next().is_some_and(|word| OTHER.contains(&word));
        let exists = EXISTS.iter().filter_map(|words| {
            let (_, rest) = after.split_once(words)?;
            Some(rest)
        });
        let rest = exists.min_by_key(|rest| rest.len());
        let is_absent = rest.is_some()
            || not_found
            || ["there is no", "there are no"]
                .iter()
                .any(|words| before.contains(words));
        let rest = rest.or_else(|| Some(after.split_once(' ')?.1));
        let next = rest.unwrap_or_default().split_whitespace().next();
        let is_part = is_other || next.is_some_and(|next| PARTS.contains(&next));
        (is_denied && is_absent).then_some(is_part)
    });
    let denials: Vec<bool> = denials.collect();
    (!denials.is_empty()).then(|| denials.iter().all(|is_part| *is_part))
}
