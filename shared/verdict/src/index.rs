//! Looks up the atoms of an answer in tool results.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use crate::atoms::{Atom, AtomKind};
use crate::clock::{Times, clocks};
use crate::needles::is_whole;
use crate::quantity::{Numbers, quantities};
use crate::terms;
use crate::text::normalized;

/// The needles of all atoms, which are searched for in one pass over a text.
pub(crate) struct Needles {
    places: HashMap<String, usize>,
    finder: Option<AhoCorasick>,
}

impl Needles {
    pub(crate) fn from_atoms<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Self {
        let needles = atoms.filter_map(|atom| match &atom.kind {
            AtomKind::Words { needles, .. } => Some(needles.iter().flatten()),
            _ => None,
        });
        let mut words: Vec<String> = needles.flatten().cloned().collect();
        words.sort_unstable();
        words.dedup();
        Self {
            finder: AhoCorasick::new(&words).ok(),
            places: words.into_iter().zip(0..).collect(),
        }
    }
}

/// The needles, terms, numbers and times that one text or several contain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// For each needle, whether it occurs as a whole name.
    whole: Vec<bool>,
    /// For each needle, whether it occurs at all, even inside a longer name.
    anywhere: Vec<bool>,
    terms: Vec<usize>,
    numbers: Numbers,
    times: Times,
}

impl Index {
    pub(crate) fn build<'a>(texts: impl IntoIterator<Item = &'a str>, needles: &Needles) -> Self {
        let count = needles.places.len();
        let mut index = Self {
            whole: vec![false; count],
            anywhere: vec![false; count],
            ..Self::default()
        };
        for text in texts {
            index.add(text, needles);
        }
        index.numbers.sort();
        index.times.sort();
        index
    }

    fn add(&mut self, text: &str, needles: &Needles) {
        for quantity in quantities(text) {
            self.times.add_number(quantity.number);
            self.numbers.add(&quantity);
        }
        for clock in clocks(text) {
            self.times.add(&clock);
        }
        let text = normalized(text);
        for (group, _) in terms::terms_in(&text) {
            if !self.terms.contains(&group) {
                self.terms.push(group);
            }
        }
        let Some(finder) = &needles.finder else {
            return;
        };
        for one in finder.find_overlapping_iter(&text) {
            let place = one.pattern().as_usize();
            self.anywhere[place] = true;
            self.whole[place] = self.whole[place] || is_whole(&text, one.start(), one.end());
        }
    }

    pub(crate) fn has(&self, atom: &Atom, needles: &Needles) -> bool {
        match &atom.kind {
            AtomKind::Term(group) => self.terms.contains(group),
            AtomKind::Number(quantity) => self.numbers.has(quantity),
            AtomKind::Time(clock) => self.times.has(clock),
            AtomKind::Words {
                needles: alternatives,
                is_quote,
            } => {
                let found = match is_quote {
                    true => &self.anywhere,
                    false => &self.whole,
                };
                let has = |needle: &String| {
                    let place = needles.places.get(needle);
                    place.is_some_and(|place| found[*place])
                };
                alternatives
                    .iter()
                    .any(|all| !all.is_empty() && all.iter().all(has))
            }
        }
    }
}
