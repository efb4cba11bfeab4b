//! Kinds of faults, by all the words that tools and people have for them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::text::is_word;

/// A group of words on each line; the first word stands for the group.
const GROUPS: &str = include_str!("words/terms.txt");

/// Finds all words, and the group of each.
static TERMS: LazyLock<(Option<AhoCorasick>, Vec<usize>)> = LazyLock::new(|| {
    let groups = GROUPS.lines().enumerate();
    let words = groups.flat_map(|(group, line)| line.split(" | ").map(move |word| (word, group)));
    let (words, groups): (Vec<&str>, Vec<usize>) = words.unzip();
    (AhoCorasick::new(words).ok(), groups)
});

/// The groups of a normalised text, each with where it first stands.
pub(crate) fn terms_in(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (finder, groups) = &*TERMS;
    let finder = finder.iter();
    for one in finder.flat_map(|finder| finder.find_overlapping_iter(text)) {
        let group = groups[one.pattern().as_usize()];
        let before = text.get(..one.start()).and_then(|text| text.chars().last());
        let is_inside = before.is_some_and(is_word);
        if !is_inside && !found.iter().any(|(known, _)| *known == group) {
            found.push((group, one.start()));
        }
    }
    found
}

/// The group of a word that is one of its words.
pub(crate) fn group_of(word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    let mut groups = GROUPS.lines();
    groups.position(|line| line.split(" | ").any(|known| known == word))
}

/// The word that stands for a group.
pub(crate) fn name(group: usize) -> &'static str {
    let words = GROUPS.lines().nth(group).unwrap_or_default();
    words.split(" | ").next().unwrap_or_default()
}
