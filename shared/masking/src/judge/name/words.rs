//! Splits a name into its words.

use crate::bytes::{self, DIGIT, LOWER, UPPER};

/// The last words of a name, at most sixteen. A name is split at punctuation and where lower case changes to upper
/// case.
pub(super) struct Words<'n> {
    words: [&'n [u8]; 16],
    count: usize,
}

impl<'n> Words<'n> {
    pub(super) fn split(name: &'n [u8]) -> Self {
        let mut split = Self {
            words: [&[]; 16],
            count: 0,
        };
        for part in name.split(|b| matches!(b, b'_' | b'-' | b'.')) {
            if bytes::all(part, LOWER) || bytes::all(part, UPPER) {
                split.push(part);
                continue;
            }
            let mut from = 0;
            for i in 1..part.len() {
                let (left, right) = (bytes::at(part, i - 1), bytes::at(part, i));
                let humps = bytes::is(left, LOWER | DIGIT) && bytes::is(right, UPPER);
                let acronym = bytes::is(left, UPPER)
                    && bytes::is(right, UPPER)
                    && bytes::is(bytes::at(part, i + 1), LOWER);
                if humps
                    || acronym
                    || (bytes::is(left, LOWER) && bytes::is(right, DIGIT) && i + 2 >= part.len())
                {
                    split.push(part.get(from..i).unwrap_or_default());
                    from = i;
                }
            }
            split.push(part.get(from..).unwrap_or_default());
        }
        split
    }

    fn push(&mut self, word: &'n [u8]) {
        if word.is_empty() {
            return;
        }
        if self.count == self.words.len() {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        if let Some(slot) = self.words.get_mut(self.count) {
            *slot = word;
            self.count += 1;
        }
    }

    pub(super) fn slice(&self) -> &[&'n [u8]] {
        self.words.get(..self.count).unwrap_or_default()
    }
}
