//! Sentences of a root cause, each looked up by itself.

use crate::atoms::{Atom, atoms};
use crate::index::{Index, Needles};
use crate::text::{beginning, is_word, normalized};

/// Sentences of one root cause that are examined.
const EXAMINED: usize = 20;
/// Sentences that are listed at most, and bytes of each.
const LISTED: (usize, usize) = (5, 200);
/// Words by which an author calls a sentence a guess. Not `may` by itself: a kubelet says that a repository `may require
/// authorization`.
const GUESSES: [&str; 21] = [
    " could be ",
    " could have ",
    " may be ",
    " may have ",
    " might be ",
    " might have ",
    " could indicate ",
    " may indicate ",
    " might indicate ",
    " suggest ",
    " suggests ",
    " suspect ",
    " suspected ",
    " likely ",
    " probably ",
    " possibly ",
    " perhaps ",
    " presumably ",
    " potentially ",
    " seems to ",
    " appears to ",
];
/// A sentence about these that names nothing else adds nothing to the cause: `This triggered the alert.`
const ADDS_NOTHING: [&str; 3] = [" root cause ", " the alert ", " this alert "];
/// What is to come is no guess at the cause: `it is likely to happen again`.
const TO_COME: &str = " likely to ";

/// Takes a text apart at the ends of lines and sentences. What goes on in lower case is no end: `e.g. a node`.
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

/// The sentences of a root cause, each with what can be looked up of it.
pub(crate) struct Sentences {
    all: Vec<(String, Vec<Atom>)>,
}

impl Sentences {
    pub(crate) fn read(cause: &str) -> Self {
        let sentences = sentences(cause).into_iter().take(EXAMINED);
        let all = sentences.map(|sentence| {
            let atoms = atoms(&sentence);
            (sentence, atoms)
        });
        Self { all: all.collect() }
    }

    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.all.iter().flat_map(|(_, atoms)| atoms)
    }

    /// Those that are guesses, or have nothing that the results have too.
    pub(crate) fn not_shown(&self, results: &Index, needles: &Needles) -> Vec<String> {
        let is_shown = |(sentence, atoms): &&(String, Vec<Atom>)| {
            let words = words(sentence);
            let has = |known: &[&str]| known.iter().any(|known| words.contains(known));
            let adds_nothing = atoms.is_empty() && has(&ADDS_NOTHING);
            let is_found = atoms.iter().any(|atom| results.has(atom, needles));
            !has(&GUESSES) && (is_found || adds_nothing)
        };
        let not_shown = self.all.iter().filter(|one| !is_shown(one));
        not_shown
            .take(LISTED.0)
            .map(|(sentence, _)| beginning(sentence, LISTED.1).to_owned())
            .collect()
    }
}

/// The words of a sentence in lower case, with blanks around each.
fn words(sentence: &str) -> String {
    let words: Vec<String> = normalized(sentence)
        .split(|char| !is_word(char) && char != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    format!(" {} ", words.join(" ")).replace(TO_COME, " ")
}
