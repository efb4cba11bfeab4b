//! Tool results that an answer is held against.

use std::borrow::Cow;

use tarsy_model::InteractionId;

use crate::MAX_EVIDENCE_BYTES;
use crate::text::beginning;
use crate::words::Words;

/// A short result with one of these phrases shows nothing of what was asked for.
static EMPTY: Words = Words::new(include_str!("words/empty.txt"));

/// A tool call that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// The interaction, by which claims cite it.
    pub id: InteractionId,
    /// Its arguments, as JSON.
    pub arguments: Cow<'a, str>,
    /// Its result.
    pub text: Cow<'a, str>,
}

/// The calls that are examined, and whether others are left out.
pub(crate) fn examined<'a>(all: &'a [Evidence<'a>]) -> (Vec<&'a Evidence<'a>>, bool) {
    let mut bytes = 0;
    let fits = |one: &&Evidence<'_>| {
        bytes += one.text.len() + one.arguments.len();
        bytes <= MAX_EVIDENCE_BYTES
    };
    let kept: Vec<_> = all.iter().take_while(fits).collect();
    let is_cut = kept.len() < all.len();
    (kept, is_cut)
}

impl Evidence<'_> {
    /// The result, and the arguments of a call whose result says something: what it was asked about is there.
    pub(crate) fn searched_texts(&self) -> [&str; 2] {
        let text = beginning(self.text.trim(), 200).to_lowercase();
        let is_empty = text.is_empty() || (self.text.len() < 200 && EMPTY.is_in(&text));
        [&self.text, if is_empty { "" } else { &self.arguments }]
    }
}
