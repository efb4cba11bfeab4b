//! Sets of words and of pieces of words, looked up in any case.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

/// Pieces that may occur anywhere in a text.
#[derive(Debug)]
pub(crate) struct Pieces {
    list: &'static [&'static str],
    automaton: Option<AhoCorasick>,
}

impl Pieces {
    pub(crate) fn new(list: &'static [&'static str]) -> Self {
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(list)
            .ok();
        Self { list, automaton }
    }

    /// Whether one of the pieces occurs in `text`.
    pub(crate) fn found(&self, text: &[u8]) -> bool {
        match &self.automaton {
            Some(automaton) => automaton.is_match(text),
            None => self
                .list
                .iter()
                .any(|piece| crate::bytes::contains(text, piece.as_bytes())),
        }
    }
}

/// The longest word that is looked up, in bytes.
const WORD_BYTES: usize = 20;

/// Words, each with the lists it is on: one bit a list.
#[derive(Debug)]
pub(crate) struct Lexicon(HashMap<&'static [u8], u16>);

impl Lexicon {
    /// The words of `lists`, separated by blanks and in lower case; the first list is bit 0.
    pub(crate) fn new(lists: &[&'static str]) -> Self {
        let mut words: HashMap<&'static [u8], u16> = HashMap::new();
        for (bit, list) in lists.iter().enumerate() {
            for word in list.split_ascii_whitespace() {
                *words.entry(word.as_bytes()).or_default() |= 1 << bit;
            }
        }
        Self(words)
    }

    /// The lists `word` is on.
    pub(crate) fn lists(&self, word: &[u8]) -> u16 {
        let mut lower = [0; WORD_BYTES];
        let Some(buffer) = lower.get_mut(..word.len()) else {
            return 0;
        };
        buffer.copy_from_slice(word);
        buffer.make_ascii_lowercase();
        self.0.get(&*buffer).copied().unwrap_or(0)
    }
}
