//! Splits a root cause into sentences, and checks each of them separately.

use crate::atoms::{Atom, atoms};
use crate::index::{Index, Needles};
use crate::quotes::without_quotations;
use crate::text::{beginning, is_word, normalized};
use crate::words::Words;

/// Maximum number of sentences of a root cause that are examined.
const EXAMINED: usize = 20;
/// Maximum number of sentences that are listed, and maximum bytes of each.
const LISTED: (usize, usize) = (5, 200);
/// Words that mark a sentence as a guess. `may` alone is not among them, because a kubelet reports that a repository
/// `may require authorization`.
static GUESSES: Words = Words::new(include_str!("words/guesses.txt"));
/// Subjects of sentences that add nothing to the cause if they name nothing else: `This triggered the alert.`
const ADDS_NOTHING: [&str; 3] = [" root cause ", " the alert ", " this alert "];
/// Phrases that contain such a word but are no guess at the cause, e.g. `likely to` about the future.
static NO_GUESSES: Words = Words::new(include_str!("words/no_guesses.txt"));
/// Phrases with `likely to` that are about the past, and thus guesses.
const OF_THE_PAST: [&str; 4] = [
    " likely to have ",
    " likely to be caused ",
    " likely to be due ",
    " likely to be the ",
];

/// Splits a text at the ends of lines and sentences. A full stop before a lower-case letter ends no sentence: `e.g. a
/// node`.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let goes_on = |after: &str| {
        let after = after.trim_start();
        after.starts_with(|char: char| char.is_lowercase())
    };
    let mut all = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim().trim_start_matches(['-', '*', '#', ' ']);
        let end = |rest: &str| {
            let mut ends = rest.match_indices(". ");
            ends.find_map(|(at, _)| (!goes_on(rest.get(at + 1..)?)).then_some(at))
        };
        while let Some(at) = end(rest) {
            let (sentence, after) = rest.split_at(at + 1);
            all.push(sentence.to_owned());
            rest = after.trim_start();
        }
        all.push(rest.to_owned());
    }
    all.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    all
}

/// Returns the sentences of a root cause, each with its atoms.
pub(crate) fn with_atoms(cause: &str) -> Vec<(String, Vec<Atom>)> {
    let sentences = sentences(cause).into_iter().take(EXAMINED);
    let read = sentences.map(|sentence| {
        let atoms = atoms(&sentence);
        (sentence, atoms)
    });
    read.collect()
}

/// Returns the sentences that are guesses, or that have nothing in common with the results.
pub(crate) fn not_shown(
    sentences: &[(String, Vec<Atom>)],
    results: &Index,
    needles: &Needles,
) -> Vec<String> {
    let is_shown = |(sentence, atoms): &&(String, Vec<Atom>)| {
        let words = words(sentence);
        let is_about = |known: &&str| words.contains(known);
        let adds_nothing = atoms.is_empty() && ADDS_NOTHING.iter().any(is_about);
        let is_found = atoms.iter().any(|atom| results.has(atom, needles));
        !is_guess(sentence) && (is_found || adds_nothing)
    };
    let not_shown = sentences.iter().filter(|one| !is_shown(one));
    not_shown
        .take(LISTED.0)
        .map(|(sentence, _)| beginning(sentence, LISTED.1).to_owned())
        .collect()
}

/// Whether the author's own words mark a sentence as a guess.
fn is_guess(sentence: &str) -> bool {
    let words = words(&without_quotations(sentence));
    let remove = |words: String, phrase: &String| words.replace(phrase, " ");
    let rest = NO_GUESSES.iter().fold(words.clone(), remove);
    GUESSES.is_in(&rest) || OF_THE_PAST.iter().any(|phrase| words.contains(phrase))
}

/// Returns the words of a sentence in lower case, with blanks around each.
pub(crate) fn words(sentence: &str) -> String {
    let normal = normalized(sentence);
    let words = normal.split(|char| !is_word(char) && char != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}
