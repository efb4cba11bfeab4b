//! One round over a text.

use crate::custom::Custom;
use crate::pattern::PatternSet;
use crate::span::{Quoting, Span, merge};

/// Everything in `text` that is to be replaced: sorted, disjoint.
pub(crate) fn find(text: &str, _set: PatternSet, custom: &[Custom]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (index, pattern) in custom.iter().enumerate() {
        pattern.find(index, text, |start, end, label| {
            spans.push(Span {
                start,
                end,
                label,
                quoting: Quoting::None,
            });
        });
    }
    merge(spans)
}
