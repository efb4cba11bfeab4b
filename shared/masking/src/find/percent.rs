//! Percent-encoded text.

use crate::bytes::{self, HEX, PERCENT, TOKEN68};
use crate::context::Context;
use crate::pattern::Pattern;

/// Longest encoded run that is decoded, in bytes.
const RUN_BYTES: usize = 8192;

/// Scans the encoded run that contains the anchor at `start`. Returns its end.
pub(crate) fn scan(context: &mut Context<'_>, start: usize) -> usize {
    let text = context.bytes;
    let class = TOKEN68 & !bytes::EQUALS | PERCENT;
    let from = bytes::run_back(text, start, class, 512);
    let from = bytes::after_escape(text, from).min(start);
    let to = bytes::run(text, start, class, RUN_BYTES);
    if context.depth > 0 || !context.set.has(Pattern::Encoded) {
        return to;
    }
    let run = text.get(from..to).unwrap_or_default();
    let set = context
        .set
        .minus(&[Pattern::HighEntropy, Pattern::VendorToken]);
    let decoded = String::from_utf8(decode(run)).unwrap_or_default();
    if (context.search)(&decoded, set, context.depth + 1) {
        context.claim(from, to, Pattern::Encoded);
    }
    to
}

fn decode(run: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(run.len());
    let mut at = 0;
    while let Some(byte) = run.get(at) {
        let pair = run
            .get(at + 1..at + 3)
            .filter(|pair| *byte == b'%' && bytes::all(pair, HEX));
        match pair
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}
