//! Groups log lines into patterns by the words that do not vary.
//!
//! Words with digits count as variables. Then patterns with the same number of words are merged if they agree in most
//! words, as in Drain (He et al., *Drain: An Online Log Parsing Approach with Fixed Depth Tree*, ICWS 2017). Drain's
//! tree is left out because there are few lines.

mod template;

use std::cmp::Ordering;
use std::collections::HashMap;

use self::template::{VARIABLE, level, message, template};

/// Minimum share of equal words, as a fraction, for two patterns to be merged.
///
/// It is slightly higher than the paper's 0.5 because words with digits already agree.
const ALIKE: (usize, usize) = (6, 10);
/// Maximum length of a pattern, in characters.
const LONGEST: usize = 300;

/// A line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// Time at which the line was written, in nanoseconds since 1970.
    pub(crate) at: i64,
    pub(crate) text: &'a str,
}

/// Lines that differ only in their variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    words: Vec<String>,
    pub(crate) count: usize,
    /// Time of the first line, in nanoseconds since 1970. `last` is that of the last line.
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// Text of the last line.
    pub(crate) example: &'a str,
    /// Level that the lines state: `fatal`, `error` or `warn`; `None` for any other level or none.
    pub(crate) level: Option<&'static str>,
}

impl Pattern<'_> {
    /// Returns the pattern, with `<*>` for each variable.
    pub(crate) fn text(&self) -> String {
        crate::answer::cut(&self.words.join(" "), LONGEST)
    }

    /// Whether the example alone is enough to show the pattern: there is only one line, or no variable.
    pub(crate) fn is_constant(&self) -> bool {
        self.count == 1 || !self.words.iter().any(|word| word.contains(VARIABLE))
    }
}

/// Groups lines into patterns. Fatal errors and errors come first. Within each group, patterns with more lines come
/// first.
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

    /// Orders patterns with more lines first. Ties are broken by text, so that the same lines always give the same
    /// patterns.
    fn by_count(&self, other: &Self) -> Ordering {
        let by_count = other.count.cmp(&self.count);
        by_count.then_with(|| (&self.words, self.level).cmp(&(&other.words, other.level)))
    }

    /// Whether two patterns of the same length agree in at least the share [`ALIKE`] of their words.
    ///
    /// A pattern of variables only is like no other.
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
