//! Passwords on the command lines of known tools, after a flag or at a fixed position.

use crate::bytes;
use crate::context::Context;
use crate::find::line::{LINE_BYTES, claim};
use crate::pattern::Pattern;

/// Most words of a command that are scanned.
const WORDS: usize = 40;

/// Claims the value of one of `flags` on the command line that starts at `from`: the next word, or the text after `=`.
pub(crate) fn flagged(context: &mut Context<'_>, from: usize, flags: &str) {
    let text = context.bytes;
    let words = words(text, from);
    for (index, (start, end)) in words.iter().enumerate() {
        let word = text.get(*start..*end).unwrap_or_default();
        for flag in flags.split(' ') {
            let Some(rest) = word.strip_prefix(flag.as_bytes()) else {
                continue;
            };
            if rest.is_empty() {
                // A word of only letters may belong to a sentence, or to another flag of the same name.
                let is_secret = |(start, end): &&(usize, usize)| {
                    !bytes::all(text.get(*start..*end).unwrap_or_default(), bytes::LOWER)
                };
                if let Some((start, end)) = words.get(index + 1).filter(is_secret) {
                    claim(context, *start, *end, Pattern::Password);
                }
            } else if rest.starts_with(b"=") && rest.len() > 1 {
                claim(context, start + flag.len() + 1, *end, Pattern::Password);
            }
        }
    }
}

/// Claims the words at `places` of the command line that starts at `from`. Places count from one, without flags.
pub(crate) fn placed(context: &mut Context<'_>, from: usize, places: &str) {
    let text = context.bytes;
    let bare = |(start, end): (usize, usize)| {
        let comma = bytes::before(text, end) == b',';
        (start, end - usize::from(comma && end > start))
    };
    let words: Vec<_> = words(text, from)
        .into_iter()
        .filter(|(start, _)| bytes::at(text, *start) != b'-')
        .map(bare)
        .collect();
    for place in places.split(' ').filter_map(|p| p.parse::<usize>().ok()) {
        if let Some((start, end)) = words.get(place.wrapping_sub(1)) {
            claim(context, *start, *end, Pattern::Password);
        }
    }
}

/// Returns the words of a command, without their quotes, up to the first operator.
fn words(text: &[u8], from: usize) -> Vec<(usize, usize)> {
    let stop = bytes::line_end(text, from, LINE_BYTES);
    let mut found = Vec::new();
    let mut at = from;
    while at < stop && found.len() < WORDS {
        let first = bytes::at(text, at);
        match first {
            b' ' | b'\t' | b'\r' => at += 1,
            b'|' | b'&' | b';' | b'>' | b'<' | b'#' | b')' | b'`' => break,
            // The command continues on the next line.
            b'\\' if at + 1 == stop => break,
            b'"' | b'\'' => {
                let rest = text.get(at + 1..stop).unwrap_or_default();
                let Some(length) = rest.iter().position(|b| *b == first) else {
                    break;
                };
                found.push((at + 1, at + 1 + length));
                at += length + 2;
            }
            _ => {
                let rest = text.get(at..stop).unwrap_or_default();
                let end = |b: &u8| b.is_ascii_whitespace() || b"\"'`|;>)".contains(b);
                let length = rest.iter().position(end).unwrap_or(rest.len());
                found.push((at, at + length));
                at += length.max(1);
            }
        }
    }
    found
}
