//! Checks an answer against the tool results on which it is based.
//!
//! It searches the results for names, numbers, times and quoted lines of the answer's root cause. Differences in unit,
//! rounding and time zone do not matter. The check is deterministic and calls no model. `docs/QUALITY.md` describes
//! what the verdict means, and what it does not mean.

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

/// Returns the names in a text, as they are written, each once: objects, hosts, versions, paths.
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

/// Maximum total size of the results that are examined, in bytes. Later results are left out.
pub const MAX_EVIDENCE_BYTES: usize = 2 * 1024 * 1024;
/// Maximum size of the part of an answer that is examined, in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Maximum number of names, numbers, times and quotations of one text that are looked up.
pub const MAX_ATOMS: usize = 200;
