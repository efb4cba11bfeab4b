//! Tool results that an answer is checked against.

use std::borrow::Cow;

use tarsy_model::InteractionId;

use crate::MAX_EVIDENCE_BYTES;
use crate::text::beginning;
use crate::words::Words;

/// Phrases of short results that found nothing.
static EMPTY: Words = Words::new(include_str!("words/empty.txt"));

/// A tool call that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// Interaction of the call. Claims cite it.
    pub id: InteractionId,
    /// Arguments of the call, as JSON.
    pub arguments: Cow<'a, str>,
    /// Result of the call.
    pub text: Cow<'a, str>,
}

/// Returns the calls that are examined, and whether others are left out.
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
    /// Returns the result, and the arguments of the call unless the result is empty.
    ///
    /// A result that is not empty shows that the subject of its call exists.
    pub(crate) fn searched_texts(&self) -> [&str; 2] {
        let text = beginning(self.text.trim(), 200).to_lowercase();
        let is_empty = text.is_empty() || (self.text.len() < 200 && EMPTY.is_in(&text));
        [&self.text, if is_empty { "" } else { &self.arguments }]
    }
}
