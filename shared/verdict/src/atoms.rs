//! Extracts the atoms of a text: names, quotations, numbers, times and kinds of faults that can be looked up.

use crate::clock::{Clock, clocks};
use crate::names::{is_marked_name, names_in, trimmed};
use crate::needles::{self, Alternatives};
use crate::quantity::{Quantity, quantities};
use crate::quotes::spans;
use crate::terms;
use crate::text::{beginning, end, normalized};
use crate::words::Words;
use crate::{MAX_ANSWER_BYTES, MAX_ATOMS};

/// A smallest part of a text that can be looked up in results.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// The atom as it is written.
    pub(crate) text: String,
    pub(crate) kind: AtomKind,
}

impl Atom {
    /// Whether it is a name, not a quotation.
    pub(crate) const fn is_name(&self) -> bool {
        matches!(&self.kind, AtomKind::Words { is_quote, .. } if !*is_quote)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum AtomKind {
    /// A name or a quotation.
    Words {
        needles: Alternatives,
        is_quote: bool,
    },
    /// A kind of fault, by the number of its group in `terms`.
    Term(usize),
    Number(Quantity),
    Time(Clock),
}

/// Programs whose command lines do not count as quotations of results.
static PROGRAMS: Words = Words::new(include_str!("words/programs.txt"));
/// Words that deny the name or term after them.
static DENIALS: Words = Words::new(include_str!("words/denials.txt"));

/// Returns the atoms of a text, each once, in no particular order. At most [`MAX_ATOMS`].
pub(crate) fn atoms(text: &str) -> Vec<Atom> {
    let text = beginning(text, MAX_ANSWER_BYTES);
    let (spans, rest) = spans(text);
    let mut found = Found {
        all: Vec::new(),
        text,
    };
    for span in &spans {
        found.add_span(span.text, span.start, span.is_code);
    }
    for (start, name) in names_in(&rest) {
        found.add_name(name, start);
    }
    found.add_plain(&rest);
    found.all.truncate(MAX_ATOMS);
    found.all
}

struct Found<'a> {
    all: Vec<Atom>,
    text: &'a str,
}

impl Found<'_> {
    fn add_span(&mut self, span: &str, start: usize, is_code: bool) {
        let span = span.trim();
        for line in span.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let first = line.split_whitespace().next();
            if first.is_some_and(|word| PROGRAMS.has(word)) {
                continue;
            }
            let name = trimmed(line);
            let is_named = || is_code || names_in(line).iter().any(|(_, known)| *known == name);
            if !clocks(line).is_empty() && line.len() < 32 || is_quantity(line) {
                self.add_plain(line);
            } else if line.contains(char::is_whitespace) {
                self.add_quote(line, start);
            } else if is_named() {
                if is_marked_name(name) {
                    self.add_name(name, start);
                }
            } else if line.len() > 3 {
                self.add_quote(line, start);
            }
        }
    }

    fn add_quote(&mut self, quote: &str, start: usize) {
        let kind = AtomKind::Words {
            needles: needles::of_quote(quote),
            is_quote: true,
        };
        self.add_unless_denied(quote, kind, start);
    }

    fn add_name(&mut self, name: &str, start: usize) {
        let kind = match terms::group_of(name) {
            Some(group) => AtomKind::Term(group),
            None => AtomKind::Words {
                needles: needles::of_name(name),
                is_quote: false,
            },
        };
        self.add_unless_denied(name, kind, start);
    }

    /// Adds numbers, times and kinds of faults of plain text.
    fn add_plain(&mut self, text: &str) {
        for clock in clocks(text) {
            self.add(&clock.text.clone(), AtomKind::Time(clock));
        }
        for quantity in quantities(text) {
            if !quantity.is_part {
                self.add(&quantity.text.clone(), AtomKind::Number(quantity));
            }
        }
        let lower = normalized(text);
        for (group, start) in terms::terms_in(&lower) {
            if !denies(lower.get(..start).unwrap_or_default()) {
                self.add(terms::name(group), AtomKind::Term(group));
            }
        }
    }

    fn add_unless_denied(&mut self, text: &str, kind: AtomKind, start: usize) {
        if !denies(&normalized(self.text.get(..start).unwrap_or_default())) {
            self.add(text, kind);
        }
    }

    fn add(&mut self, text: &str, kind: AtomKind) {
        let is_known = |atom: &Atom| match (&atom.kind, &kind) {
            (AtomKind::Term(one), AtomKind::Term(other)) => one == other,
            _ => atom.text == text,
        };
        if !self.all.iter().any(is_known) {
            self.all.push(Atom {
                text: text.to_owned(),
                kind,
            });
        }
    }
}

fn denies(before: &str) -> bool {
    let near = end(before, 24).trim_end();
    let near = format!(" {} ", near.trim_end_matches(['`', '"']).trim_end());
    let near = near.rsplit(['.', ';', ',']).next().unwrap_or_default();
    DENIALS.ends(near) || near.len() < 26 && near.contains(" no evidence of ")
}

fn is_quantity(text: &str) -> bool {
    matches!(quantities(text).as_slice(), [one] if one.text.trim() == text.trim() && !one.is_part)
}
