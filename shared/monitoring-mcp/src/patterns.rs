//! Log lines grouped by what stays the same in them.
//!
//! Words with digits are variables at once. Then patterns of equally many words are one if they agree in most of them, as in
//! Drain (He et al., *Drain: An Online Log Parsing Approach with Fixed Depth Tree*, ICWS 2017), without its tree: the lines
//! are few.

mod template;

use std::cmp::Ordering;
use std::collections::HashMap;

use self::template::{VARIABLE, level, message, template};

/// Share of words in which two patterns agree, of ten, to be one: a little above the 0.5 of the paper, as whatever has digits
/// agrees already.
const ALIKE: (usize, usize) = (6, 10);
/// Longest example and longest pattern, in characters.
const LONGEST: usize = 300;

/// A line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// When it was written, in nanoseconds since 1970.
    pub(crate) at: i64,
    pub(crate) text: &'a str,
}

/// Lines that differ only in their variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    words: Vec<String>,
    pub(crate) count: usize,
    /// Times of the first and the last one, in nanoseconds since 1970.
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// The last line.
    pub(crate) example: &'a str,
    /// `fatal`, `error`, `warn`: what the lines say that they are; `None`: something else.
    pub(crate) level: Option<&'static str>,
}

impl Pattern<'_> {
    /// The pattern, with `<*>` for what varies.
    pub(crate) fn text(&self) -> String {
        crate::answer::cut(&self.words.join(" "), LONGEST)
    }

    /// Whether one text stands for the pattern and its example.
    pub(crate) fn is_constant(&self) -> bool {
        self.count == 1 || !self.words.iter().any(|word| word.contains(VARIABLE))
    }
}

/// Groups lines. Errors come first, then the patterns of most lines.
pub(crate) fn patterns<'a>(lines: &[Line<'a>]) -> Vec<Pattern<'a>> {
    let mut by_template: HashMap<(Vec<String>, Option<&'static str>), Pattern<'a>> = HashMap::new();
    for line in lines {
        let key = (template(&message(line.text)), level(line.text));
        let one = Pattern::from_line(key.0.clone(), key.1, line);
        match by_template.get_mut(&key) {
            Some(pattern) => pattern.merge(one),
            None => drop(by_template.insert(key, one)),
        }
    }
    let mut templates: Vec<Pattern<'a>> = by_template.into_values().collect();
    templates.sort_by(Pattern::by_count);
    let mut merged: HashMap<(usize, Option<&'static str>), Vec<Pattern<'a>>> = HashMap::new();
    for pattern in templates {
        let size = (pattern.words.len(), pattern.level);
        let alike = merged.entry(size).or_default();
        match alike.iter_mut().find(|other| other.is_like(&pattern)) {
            Some(other) => other.merge(pattern),
            None => alike.push(pattern),
        }
    }
    let mut patterns: Vec<Pattern<'a>> = merged.into_values().flatten().collect();
    patterns.sort_by(Pattern::by_count);
    patterns.sort_by_key(|pattern| pattern.level.is_none_or(|level| level == "warn"));
    patterns
}

impl<'a> Pattern<'a> {
    fn from_line(words: Vec<String>, level: Option<&'static str>, line: &Line<'a>) -> Self {
        Self {
            words,
            count: 1,
            first: line.at,
            last: line.at,
            example: line.text,
            level,
        }
    }

    /// Those of most lines first. Not by the map's order: the same lines give the same patterns.
    fn by_count(&self, other: &Self) -> Ordering {
        let by_count = other.count.cmp(&self.count);
        by_count.then_with(|| (&self.words, self.level).cmp(&(&other.words, other.level)))
    }

    /// Whether both are equally long and agree in most words that are no variables.
    fn is_like(&self, other: &Self) -> bool {
        let alike = self
            .words
            .iter()
            .zip(&other.words)
            .filter(|(one, other)| one == other)
            .count();
        let fixed = self.words.iter().filter(|word| *word != VARIABLE).count();
        fixed > 0 && alike * ALIKE.1 >= self.words.len() * ALIKE.0
    }

    fn merge(&mut self, other: Self) {
        for (word, theirs) in self.words.iter_mut().zip(other.words) {
            if *word != theirs {
                VARIABLE.clone_into(word);
            }
        }
        self.count += other.count;
        self.first = self.first.min(other.first);
        if other.last > self.last {
            (self.last, self.example) = (other.last, other.example);
        }
    }
}

#[cfg(test)]
mod tests;
