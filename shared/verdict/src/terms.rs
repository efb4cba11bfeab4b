//! Kinds of faults, by all the words that tools and people have for them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::text::is_word;

const GROUPS: &str = include_str!("words/terms.txt");

static TERMS: LazyLock<Terms> = LazyLock::new(Terms::new);

struct Terms {
    /// The group of each pattern, and its first word.
    groups: Vec<usize>,
    names: Vec<&'static str>,
    finder: Option<AhoCorasick>,
}

impl Terms {
    fn new() -> Self {
        let (mut groups, mut words, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (group, line) in GROUPS.lines().enumerate() {
            for (place, word) in line.split(" | ").enumerate() {
                if place == 0 {
                    names.push(word);
                }
                groups.push(group);
                words.push(word);
            }
        }
        let finder = AhoCorasick::new(&words).ok();
        Self {
            groups,
            names,
            finder,
        }
    }
}

/// The groups of a normalised text, each with where it first stands.
pub(crate) fn terms_in(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let matches = TERMS
        .finder
        .iter()
        .flat_map(|finder| finder.find_overlapping_iter(text));
    for one in matches {
        let before = text.get(..one.start()).and_then(|text| text.chars().last());
        let is_inside = before.is_some_and(is_word);
        let Some(group) = TERMS
            .groups
            .get(one.pattern().as_usize())
            .filter(|_| !is_inside)
        else {
            continue;
        };
        if !found.iter().any(|(known, _)| known == group) {
            found.push((*group, one.start()));
        }
    }
    found
}

/// The group of a word that is one of its words.
pub(crate) fn group_of(word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    GROUPS
        .lines()
        .position(|line| line.split(" | ").any(|known| known == word))
}

/// The word that stands for a group.
pub(crate) fn name(group: usize) -> &'static str {
    TERMS.names.get(group).copied().unwrap_or_default()
}
