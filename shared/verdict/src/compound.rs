//! Recognises English compounds with hyphens, which are not names.

use crate::words::Words;

/// Parts of English compounds. A compound is English if all its parts are listed.
static PARTS: Words = Words::new(include_str!("words/compounds.txt"));
/// First parts that no name of a resource has.
static FIRST_PARTS: Words = Words::new(include_str!("words/first_parts.txt"));
/// Last parts that no name of a resource has.
static LAST_PARTS: Words = Words::new(include_str!("words/last_parts.txt"));

/// Whether a hyphenated token is English (`out-of-memory`), not a name (`payments-api`).
pub(crate) fn is_english(token: &str) -> bool {
    let lower = token.to_lowercase();
    let (mut parts, mut reversed) = (lower.split('-'), lower.rsplit('-'));
    parts.clone().all(|part| PARTS.has(part))
        || parts.next().is_some_and(|part| FIRST_PARTS.has(part))
        || reversed.next().is_some_and(|part| LAST_PARTS.has(part))
}
