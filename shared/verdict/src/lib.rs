//! Checks an answer against the tool results that it is drawn from.
//!
//! Names, numbers, times and quoted lines of the answer's root cause are looked up in the results, whatever unit, rounding
//! or time zone they are written in. The check is deterministic and asks no model. What the verdict means, and what it does
//! not mean, is described in `docs/QUALITY.md`.

mod atoms;
mod check;
mod claims;
mod clock;
mod compound;
mod evidence;
mod index;
mod judge;
mod looked;
mod names;
mod needles;
mod quantity;
mod quotes;
mod sections;
mod sentences;
mod statements;
mod terms;
mod text;
mod units;
mod words;

use atoms::{Atom, atoms};

pub use check::Check;
pub use evidence::Evidence;
pub use judge::{Case, check_claim, judge};
pub use sections::root_cause_sentences;
pub use statements::is_no_fault;

/// Names that a text has, as it writes them, each once: objects, hosts, versions, paths.
#[must_use]
pub fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for atom in atoms(text).into_iter().filter(Atom::is_name) {
        if !names.contains(&atom.text) {
            names.push(atom.text);
        }
    }
    names
}

/// Bytes of all results together that are examined; later results are left out.
pub const MAX_EVIDENCE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of an answer that are examined.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Names, numbers, times and quotes of one text that are looked up.
pub const MAX_ATOMS: usize = 200;
