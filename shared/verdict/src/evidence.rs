//! Tool results that an answer is held against.

use tarsy_model::InteractionId;

use crate::MAX_EVIDENCE_BYTES;
use crate::text::beginning;

/// Results that begin like this and are short show nothing of what was asked for.
const EMPTY: [&str; 9] = [
    "no resources found",
    "not found",
    "no results",
    "no data",
    "no rows",
    "(0 rows)",
    "[]",
    "{}",
    "null",
];

/// A tool call that succeeded.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The interaction, by which claims cite it.
    pub id: InteractionId,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
    /// Its result.
    pub text: &'a str,
}

/// The calls that are examined, and whether others are left out.
pub(crate) fn examined<'a>(all: &'a [Evidence<'a>]) -> (Vec<&'a Evidence<'a>>, bool) {
    let mut left = MAX_EVIDENCE_BYTES;
    let mut kept = Vec::new();
    for one in all {
        let bytes = one.text.len() + one.arguments.len();
        match left.checked_sub(bytes) {
            Some(rest) => {
                left = rest;
                kept.push(one);
            }
            None => return (kept, true),
        }
    }
    (kept, false)
}

/// The arguments of a call whose result says something: what it was asked about is there.
pub(crate) fn telling_arguments<'a>(call: &Evidence<'a>) -> &'a str {
    let text = beginning(call.text.trim(), 200).to_lowercase();
    let is_empty = text.is_empty()
        || (call.text.len() < 200 && EMPTY.iter().any(|words| text.contains(words)));
    if is_empty { "" } else { call.arguments }
}
