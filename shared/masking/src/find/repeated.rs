//! Secrets that were found once and stand in the text again, where nothing says what they are.

use std::collections::HashSet;

use aho_corasick::AhoCorasick;

use crate::bytes::{self, ALNUM};
use crate::context::Context;
use crate::shape;
use crate::span::Label;

/// The most secrets that are looked for again.
const SECRETS: usize = 64;
/// The shortest one, in bytes.
const LEAST_BYTES: usize = 16;
/// The longest one, in bytes.
const MOST_BYTES: usize = 256;

/// Claims every further occurrence of what was claimed and is random.
pub(crate) fn scan(context: &mut Context<'_>) {
    let text = context.bytes;
    let mut labels = Vec::new();
    let mut values = Vec::new();
    let mut seen = HashSet::new();
    for span in &context.spans {
        let value = text.get(span.start..span.end).unwrap_or_default();
        let Label::BuiltIn(pattern) = span.label else {
            continue;
        };
        let fits = (LEAST_BYTES..=MOST_BYTES).contains(&value.len())
            && !value.iter().any(u8::is_ascii_whitespace)
            && (shape::is_random(value, LEAST_BYTES) || shape::is_hex(value))
            && !shape::looks_like_path(value);
        if fits && seen.insert(value) {
            labels.push(pattern);
            values.push(value);
        }
        if values.len() == SECRETS {
            break;
        }
    }
    if values.is_empty() || context.depth > 0 {
        return;
    }
    let Ok(automaton) = AhoCorasick::new(&values) else {
        return;
    };
    let claimed: HashSet<usize> = context.spans.iter().map(|span| span.start).collect();
    for found in automaton.find_iter(text) {
        let apart = !bytes::is(bytes::before(text, found.start()), ALNUM)
            && !bytes::is(bytes::at(text, found.end()), ALNUM);
        if apart
            && !claimed.contains(&found.start())
            && let Some(pattern) = labels.get(found.pattern().as_usize())
        {
            context.claim(found.start(), found.end(), *pattern);
        }
    }
}
