//! Words of English with a hyphen, which are no names.

use crate::words::Words;

/// Parts that make a compound English where every part of it is one or a plain ending.
static PARTS: Words = Words::new(include_str!("words/compounds.txt"));
/// First parts that no name of a resource has.
static FIRST_PARTS: Words = Words::new(include_str!("words/first_parts.txt"));
/// Last parts that no name of a resource has.
static LAST_PARTS: Words = Words::new(include_str!("words/last_parts.txt"));

/// Whether letters with hyphens are English (`out-of-memory`), not the name of something (`payments-api`).
pub(crate) fn is_english(token: &str) -> bool {
    let lower = token.to_lowercase();
    let (mut parts, mut reversed) = (lower.split('-'), lower.rsplit('-'));
    parts.clone().all(|part| PARTS.has(part))
        || parts.next().is_some_and(|part| FIRST_PARTS.has(part))
        || reversed.next().is_some_and(|part| LAST_PARTS.has(part))
}
