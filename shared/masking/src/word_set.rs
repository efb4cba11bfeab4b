//! Sets of words, and of parts, starts and ends of words. Lookups ignore case unless stated otherwise.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use aho_corasick::AhoCorasick;

use crate::bytes;

/// Parts that may occur anywhere in a text.
#[derive(Debug)]
pub(crate) struct Substrings {
    list: &'static [&'static str],
    automaton: Option<AhoCorasick>,
}

impl Substrings {
    pub(crate) fn new(list: &'static [&'static str]) -> Self {
        Self::build(list, true)
    }

    /// Creates a set of parts whose case must match.
    pub(crate) fn in_case(list: &'static [&'static str]) -> Self {
        Self::build(list, false)
    }

    fn build(list: &'static [&'static str], any_case: bool) -> Self {
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(any_case)
            .build(list)
            .ok();
        Self { list, automaton }
    }

    /// Whether one of the parts occurs in `text`.
    pub(crate) fn found(&self, text: &[u8]) -> bool {
        match &self.automaton {
            Some(automaton) => automaton.is_match(text),
            None => self
                .list
                .iter()
                .any(|part| bytes::contains(text, part.as_bytes())),
        }
    }
}

/// Longest word that is looked up, in bytes.
const WORD_BYTES: usize = 20;

/// Words, each with one bit for every list that contains it.
#[derive(Debug)]
pub(crate) struct WordSet(HashMap<&'static [u8], u16, BuildHasherDefault<WordHasher>>);

impl WordSet {
    /// Creates a set of the words of `lists`, which are in lower case. The first list is bit 0.
    pub(crate) fn new(lists: &[&[&'static str]]) -> Self {
        let mut words: HashMap<&'static [u8], u16, _> = HashMap::default();
        for (bit, list) in lists.iter().enumerate() {
            for word in *list {
                *words.entry(word.as_bytes()).or_default() |= 1 << bit;
            }
        }
        Self(words)
    }

    /// Returns the lists that contain `word`.
    pub(crate) fn lists(&self, word: &[u8]) -> u16 {
        let mut lower = [0; WORD_BYTES];
        let Some(buffer) = lower.get_mut(..word.len()) else {
            return 0;
        };
        buffer.copy_from_slice(word);
        buffer.make_ascii_lowercase();
        self.0.get(&*buffer).copied().unwrap_or(0)
    }

    /// Whether `word` is on any list.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        self.lists(word) != 0
    }
}

/// FNV-1a. The words come from the crate's own files, so an attacker can't cause collisions.
#[derive(Debug)]
pub(crate) struct WordHasher(u64);

impl Default for WordHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_usize(&mut self, length: usize) {
        self.0 ^= length as u64;
    }

    fn finish(&self) -> u64 {
        // The hash table uses the high bits as tags.
        self.0 ^ self.0.rotate_left(29)
    }
}

/// Texts grouped by the byte at one end, in the order of their list.
#[derive(Debug)]
struct Buckets(Vec<Vec<&'static [u8]>>);

impl Buckets {
    fn new(list: &[&'static str], end: impl Fn(&[u8]) -> Option<&u8>) -> Self {
        let mut buckets = vec![Vec::new(); 256];
        for text in list {
            let byte = end(text.as_bytes()).map(u8::to_ascii_lowercase);
            if let Some(bucket) = byte.and_then(|b| buckets.get_mut(usize::from(b))) {
                bucket.push(text.as_bytes());
            }
        }
        Self(buckets)
    }

    fn at(&self, byte: u8) -> &[&'static [u8]] {
        let bucket = self.0.get(usize::from(byte.to_ascii_lowercase()));
        bucket.map_or(&[], Vec::as_slice)
    }
}

/// Prefixes to look up.
#[derive(Debug)]
pub(crate) struct Prefixes(Buckets);

impl Prefixes {
    pub(crate) fn new(list: &[&'static str]) -> Self {
        Self(Buckets::new(list, |text| text.first()))
    }

    /// Returns the length of the first listed prefix that is at `at`.
    pub(crate) fn length_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let bucket = self.0.at(*text.get(at)?);
        let found = bucket.iter().find(|prefix| bytes::has_at(text, at, prefix));
        found.map(|prefix| prefix.len())
    }
}

/// Suffixes to look up.
#[derive(Debug)]
pub(crate) struct Suffixes(Buckets);

impl Suffixes {
    pub(crate) fn new(list: &[&'static str]) -> Self {
        Self(Buckets::new(list, |text| text.last()))
    }

    /// Whether `word` ends with one of the texts.
    pub(crate) fn end(&self, word: &[u8]) -> bool {
        let bucket = word.last().map_or(&[][..], |last| self.0.at(*last));
        bucket.iter().any(|suffix| {
            let from = word.len().checked_sub(suffix.len());
            from.is_some_and(|from| bytes::has_at(word, from, suffix))
        })
    }

    /// Same as [`Suffixes::end`], but at least one byte must precede the suffix.
    pub(crate) fn end_within(&self, word: &[u8]) -> bool {
        let bucket = word.last().map_or(&[][..], |last| self.0.at(*last));
        bucket.iter().any(|suffix| {
            let from = word.len().checked_sub(suffix.len());
            from.is_some_and(|from| from > 0 && bytes::has_at(word, from, suffix))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_with_their_lists() {
        let set = WordSet::new(&[&["key", "token"], &["token"]]);
        assert_eq!((set.lists(b"Key"), set.lists(b"TOKEN")), (1, 3));
        assert!(!set.has(b"tokens") && !set.has(&[b'k'; 64]));
    }

    #[test]
    fn starts_and_ends_are_found_in_any_case() {
        let starts = Prefixes::new(&["arn:", "a"]);
        assert_eq!(starts.length_at(b"x ARN:aws", 2), Some(4));
        assert_eq!(starts.length_at(b"abc", 0), Some(1));
        assert_eq!(starts.length_at(b"abc", 3), None);
        let ends = Suffixes::new(&["password", "pwd"]);
        assert!(ends.end(b"PGPASSWORD") && !ends.end(b"passwor") && !ends.end(b""));
    }
}
