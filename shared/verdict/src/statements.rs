//! What an answer says of itself: that it found no cause, or that nothing is wrong.

use crate::text::normalized;

/// After a word for the cause: it is not known.
const NOT_KNOWN: [&str; 24] = [
    "unknown",
    "undetermined",
    "not established",
    "not be established",
    "not be determined",
    "not be identified",
    "not determined",
    "not identified",
    "not known",
    "not clear",
    "unclear",
    "inconclusive",
    "not be confirmed",
    "could not be found",
    "was not found",
    "not found",
    "cannot determine",
    "can't be determined",
    "unable to determine",
    "could not determine",
    "not possible to determine",
    "remains open",
    "not be concluded",
    "can not be established",
];
/// Before a word for the cause: there is none.
const NO_CAUSE: [&str; 16] = [
    "no root cause",
    "no definitive root cause",
    "no clear root cause",
    "no definite root cause",
    "no cause was",
    "no cause could",
    "unable to determine the root cause",
    "unable to determine the cause",
    "unable to identify the root cause",
    "could not determine the root cause",
    "could not determine the cause",
    "could not identify the root cause",
    "cannot determine the root cause",
    "cannot determine the cause",
    "not possible to determine the cause",
    "not possible to determine the root cause",
];
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
const NO_FAULT: [&str; 14] = [
    "false alarm",
    "false positive",
    "nothing is wrong",
    "nothing was wrong",
    "no action is needed",
    "no action is required",
    "no action needed",
    "no action required",
    "everything is healthy",
    "everything is normal",
    "operating normally",
    "working as expected",
    "all systems are healthy",
    "is not an incident",
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
        if NO_CAUSE.iter().any(|words| sentence.contains(words)) {
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
    sentences.iter().take(3).any(says) || sentences.first().is_some_and(stands_alone)
}

/// Whether the text says that nothing is wrong.
pub(crate) fn is_no_fault(text: &str) -> bool {
    let says = |sentence: &String| {
        if BUT.iter().any(|but| sentence.contains(but)) {
            return false;
        }
        if NO_FAULT.iter().any(|words| sentence.contains(words)) {
            return true;
        }
        FAULTS.iter().any(|fault| {
            let Some(at) = sentence.find(fault) else {
                return false;
            };
            let before = sentence.get(..at).unwrap_or_default();
            let near = before
                .get(before.ceil_char_boundary(before.len().saturating_sub(30))..)
                .unwrap_or_default();
            let is_denied =
                near.split_whitespace().any(|word| word == "no") || near.ends_with("not find any ");
            let after = sentence.get(at..).unwrap_or_default();
            is_denied
                && (EXISTS.iter().any(|words| after.contains(words))
                    || before.contains("there is no")
                    || before.contains("there are no")
                    || near.ends_with("not find any "))
        })
    };
    sentences(text).iter().take(3).any(says)
}
