//! Kinds of faults, each with all words that tools and people use for it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::text::is_word;

/// One group of words per line. The first word is the name of the group.
const GROUPS: &str = include_str!("words/terms.txt");

/// A searcher for all words, and the group of each word.
static TERMS: LazyLock<(Option<AhoCorasick>, Vec<usize>)> = LazyLock::new(|| {
    let groups = GROUPS.lines().enumerate();
    let words = groups.flat_map(|(group, line)| line.split(" | ").map(move |word| (word, group)));
    let (words, groups): (Vec<&str>, Vec<usize>) = words.unzip();
    (AhoCorasick::new(words).ok(), groups)
});

/// Returns the groups that occur in a normalised text, each with the byte of its first occurrence.
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

/// Returns the group that contains a word.
pub(crate) fn group_of(word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    let mut groups = GROUPS.lines();
    groups.position(|line| line.split(" | ").any(|known| known == word))
}

/// Returns the name of a group.
pub(crate) fn name(group: usize) -> &'static str {
    let words = GROUPS.lines().nth(group).unwrap_or_default();
    words.split(" | ").next().unwrap_or_default()
}
