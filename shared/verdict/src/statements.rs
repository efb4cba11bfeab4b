//! What an answer says of itself: that it found no cause, or that nothing is wrong.

use crate::text::{end, normalized};
use crate::words::Words;

/// After a word for the cause: it is not known.
const NOT_KNOWN: Words = Words::new(include_str!("words/not_known.txt"));
/// Before a word for the cause: there is none.
const NO_CAUSE: Words = Words::new(include_str!("words/no_cause.txt"));
const CAUSES: [&str; 5] = [
    "root cause",
    "the cause is",
    "the cause was",
    "the cause could",
    "the cause cannot",
];

/// What is not there, where nothing is wrong.
const FAULTS: [&str; 9] = [
    "fault",
    "problem",
    "issue",
    "incident",
    "anomal",
    "failure",
    "outage",
    "error condition",
    "malfunction",
];
const EXISTS: [&str; 12] = [
    " was found",
    " were found",
    " is present",
    " exists",
    " exist",
    " detected",
    " identified",
    " was observed",
    " were observed",
    " is visible",
    " found",
    " at this time",
];
const NO_FAULT: Words = Words::new(include_str!("words/no_fault.txt"));
/// After `no`: next to a fault that was named there is none.
const OTHER: [&str; 6] = ["other", "further", "additional", "more", "new", "such"];
/// After the denial: it is of a part alone.
const PARTS: [&str; 6] = ["with", "in", "on", "of", "for", "from"];
/// What goes wrong, in the words of causes.
const GOES_WRONG: Words = Words::new(include_str!("words/goes_wrong.txt"));
/// Before what the cause was not.
const NOT_THE_CAUSE: [&str; 6] = [
    "not due to",
    "not caused by",
    "not a result of",
    "not the result of",
    "not because of",
    "not related to",
];
/// What follows where the cause is named after all.
const INSTEAD: [&str; 6] = [
    "due to",
    "caused",
    "because",
    "instead",
    "rather",
    "result of",
];
const BUT: [&str; 6] = [
    " but ",
    "however",
    " except",
    " although ",
    " though ",
    " while ",
];

fn sentences(text: &str) -> Vec<String> {
    let text = normalized(text);
    let mut all = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let ends = matches!(char, '.' | '!' | '?') && chars.peek().is_none_or(|next| *next == ' ');
        match (ends, all.last_mut()) {
            (true, _) => all.push(String::new()),
            (false, Some(last)) => last.push(char),
            (false, None) => {}
        }
    }
    all
}

/// Whether the text says that the cause was not found.
pub(crate) fn is_inconclusive(text: &str) -> bool {
    let says = |sentence: &String| {
        if NO_CAUSE.is_in(sentence) {
            return true;
        }
        let cause = CAUSES.iter().filter_map(|cause| sentence.find(cause)).min();
        cause.is_some_and(|at| {
            let after = sentence.get(at..).unwrap_or_default();
            NOT_KNOWN
                .iter()
                .filter_map(|words| after.find(words))
                .any(|distance| distance < 60)
        })
    };
    let stands_alone = |sentence: &String| {
        let sentence = sentence.trim().trim_start_matches(['*', '-', ' ']);
        [
            "not established",
            "unknown",
            "undetermined",
            "inconclusive",
            "it is not established",
            "it could not be established",
        ]
        .iter()
        .any(|words| sentence.starts_with(words))
    };
    let sentences = sentences(text);
    sentences.iter().take(3).any(says)
        || sentences.first().is_some_and(stands_alone)
        || only_denies(&sentences)
}

/// Whether the sentences say what the cause was not, and nothing else: `The restart was not due to an error.`
fn only_denies(sentences: &[String]) -> bool {
    let mut said = sentences
        .iter()
        .filter(|one| !one.trim().is_empty())
        .peekable();
    said.peek().is_some()
        && said.all(|sentence| {
            let denial = NOT_THE_CAUSE.iter().find(|words| sentence.contains(*words));
            denial.is_some_and(|denial| {
                let rest = sentence.replacen(denial, "", 1);
                let mut asserts = INSTEAD.iter().chain(&BUT);
                !asserts.any(|words| rest.contains(words))
            })
        })
}

/// Whether the text says that nothing is wrong, in one of its first sentences. That a part is in order says so only where no other sentence
/// names what went wrong: a verdict that hides a fault is worse than one that does not praise a healthy system.
#[must_use]
pub fn is_no_fault(text: &str) -> bool {
    let sentences = sentences(text);
    let first = || sentences.iter().take(3).enumerate();
    let goes_wrong = |number: usize| {
        let mut others = sentences
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        others.any(|(_, sentence)| GOES_WRONG.is_in(sentence))
    };
    let mut said = first().map(|(number, sentence)| (number, Denial::read(sentence)));
    said.any(|(number, denial)| match denial {
        Denial::None => false,
        Denial::OfPart => !goes_wrong(number),
        Denial::OfAll => true,
    })
}

/// What a sentence says is not there.
enum Denial {
    /// It denies nothing.
    None,
    /// A fault of a part.
    OfPart,
    /// Any fault.
    OfAll,
}

impl Denial {
    fn read(sentence: &str) -> Self {
        if BUT.iter().any(|but| sentence.contains(but)) {
            return Self::None;
        }
        if NO_FAULT.is_in(sentence) {
            return Self::OfAll;
        }
        let denials = FAULTS.iter().filter_map(|fault| {
            let at = sentence.find(fault)?;
            let before = sentence.get(..at).unwrap_or_default();
            let near = end(before, 30);
            let mut words = near.split_whitespace().skip_while(|word| *word != "no");
            let is_other = words.nth(1).is_some_and(|word| OTHER.contains(&word));
            let is_denied =
                near.split_whitespace().any(|word| word == "no") || near.ends_with("not find any ");
            let after = sentence.get(at..).unwrap_or_default();
            let exists = EXISTS.iter().filter_map(|words| {
                let end = after.find(words)? + words.len();
                after.get(end..)
            });
            let rest = exists.min_by_key(|rest| rest.len());
            let is_absent = rest.is_some()
                || before.contains("there is no")
                || before.contains("there are no")
                || near.ends_with("not find any ");
            if !is_denied || !is_absent {
                return None;
            }
            let rest = rest.unwrap_or_else(|| after.split_once(' ').map_or("", |(_, rest)| rest));
            let next = rest.split_whitespace().next().unwrap_or_default();
            Some(is_other || PARTS.contains(&next))
        });
        let denials: Vec<bool> = denials.collect();
        match (denials.is_empty(), denials.iter().all(|of_part| *of_part)) {
            (true, _) => Self::None,
            (false, true) => Self::OfPart,
            (false, false) => Self::OfAll,
        }
    }
}
