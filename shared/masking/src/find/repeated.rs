//! Finds further occurrences of claimed secrets, at places where nothing else marks them as secrets.

use std::collections::HashSet;

use crate::bytes::{self, ALNUM};
use crate::context::Context;
use crate::shape;
use crate::span::Label;

/// Most secrets that are searched again.
const SECRETS: usize = 64;
/// Shortest secret that is searched again, in bytes.
const LEAST_BYTES: usize = 16;
/// Longest secret that is searched again, in bytes.
const MOST_BYTES: usize = 256;

/// Claims every further occurrence of the claimed values that look random.
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
    let mut claimed: Vec<usize> = context.spans.iter().map(|span| span.start).collect();
    claimed.sort_unstable();
    let pieces = Pieces::from_values(&values);
    // Wherever such a value begins, one of its first pieces is at one of these positions.
    for (number, piece) in text.chunks(STEP).enumerate() {
        let place = number * STEP;
        for (_, index, offset) in pieces.at(piece) {
            let (Some(value), Some(pattern)) = (values.get(*index), labels.get(*index)) else {
                continue;
            };
            let Some(start) = place.checked_sub(*offset) else {
                continue;
            };
            let end = start + value.len();
            let apart = !bytes::is(bytes::before(text, start), ALNUM)
                && !bytes::is(bytes::at(text, end), ALNUM);
            if text.get(start..end) == Some(value)
                && apart
                && claimed.binary_search(&start).is_err()
            {
                context.claim(start, end, *pattern);
            }
        }
    }
}

/// Length of a piece, in bytes.
const PIECE: usize = 4;
/// Distance between the positions that are checked, in bytes.
const STEP: usize = LEAST_BYTES - PIECE + 1;
/// Bits of a hash that distinguish pieces.
const HASH_BITS: u32 = 16;

/// The first pieces of some values, each with its value and its offset in it.
struct Pieces {
    hashes: Vec<u64>,
    /// Each piece with the index of its value and its offset, sorted.
    places: Vec<([u8; PIECE], usize, usize)>,
}

impl Pieces {
    fn from_values(values: &[&[u8]]) -> Self {
        let mut pieces = Self {
            hashes: vec![0; (1 << HASH_BITS) / 64],
            places: Vec::with_capacity(values.len() * STEP),
        };
        for (index, value) in values.iter().enumerate() {
            for (offset, piece) in value.array_windows().take(STEP).enumerate() {
                let hash = hash(piece);
                if let Some(word) = pieces.hashes.get_mut(hash / 64) {
                    *word |= 1_u64 << (hash % 64);
                }
                pieces.places.push((*piece, index, offset));
            }
        }
        pieces.places.sort_unstable();
        pieces
    }

    /// Returns the entries of the piece with which `text` starts.
    fn at(&self, text: &[u8]) -> &[([u8; PIECE], usize, usize)] {
        let known = text.first_chunk().filter(|piece| {
            let hash = hash(piece);
            let word = self.hashes.get(hash / 64).copied().unwrap_or_default();
            word >> (hash % 64) & 1 == 1
        });
        let places = known.map(|piece| {
            let from = self.places.partition_point(|(other, ..)| other < piece);
            let rest = self.places.get(from..).unwrap_or_default();
            let count = rest.partition_point(|(other, ..)| other == piece);
            rest.get(..count).unwrap_or_default()
        });
        places.unwrap_or_default()
    }
}

fn hash(piece: &[u8; PIECE]) -> usize {
    let mixed = u32::from_le_bytes(*piece).wrapping_mul(0x9E37_79B1);
    (mixed >> (u32::BITS - HASH_BITS)) as usize
}
