//! Index segments. Each contains the chunks of one load transaction.

use std::collections::HashMap;

use rust_stemmers::Stemmer;

use super::postings;
use super::terms::{stemmer, term, words};

/// Longest chunk length that is stored exactly, in words.
const MAX_LENGTH: usize = u16::MAX as usize;

/// The index of a group of chunks.
pub(crate) struct Segment {
    /// Words of each chunk, at least 1; 0 marks deleted chunks.
    pub(crate) lengths: Vec<u16>,
    /// Terms with chunk counts and packed postings, sorted by term.
    pub(crate) terms: Vec<Term>,
}

/// A term of a segment.
pub(crate) struct Term {
    pub(crate) text: String,
    pub(crate) chunks: u32,
    pub(crate) data: Vec<u8>,
}

/// Builds a segment, one chunk at a time.
pub(crate) struct SegmentBuilder {
    stemmer: Stemmer,
    /// Term number by word; `None` for stopwords.
    known: HashMap<String, Option<usize>>,
    compounds: HashMap<String, Option<usize>>,
    numbers: HashMap<String, usize>,
    postings: Vec<Pending>,
    lengths: Vec<u16>,
    /// Terms of the current chunk.
    chunk: Vec<usize>,
}

#[derive(Default)]
struct Pending {
    chunks: u32,
    last: Option<u32>,
    data: Vec<u8>,
}

impl SegmentBuilder {
    pub(crate) fn new() -> Self {
        Self {
            stemmer: stemmer(),
            known: HashMap::new(),
            compounds: HashMap::new(),
            numbers: HashMap::new(),
            postings: Vec::new(),
            lengths: Vec::new(),
            chunk: Vec::new(),
        }
    }

    /// Adds a chunk with its text and filter terms.
    pub(crate) fn add(&mut self, text: &str, filters: &[String]) {
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.clear();
        words(text, |word, is_compound| {
            chunk.extend(self.term(word, is_compound))
        });
        let length = chunk.len().clamp(1, MAX_LENGTH);
        chunk.extend(filters.iter().map(|filter| self.number(filter)));
        let number = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        self.lengths.push(u16::try_from(length).unwrap_or(u16::MAX));
        chunk.sort_unstable();
        for same in chunk.chunk_by(|a, b| a == b) {
            let Some(pending) = same.first().and_then(|term| self.postings.get_mut(*term)) else {
                continue;
            };
            let times = u32::try_from(same.len()).unwrap_or(u32::MAX);
            postings::push(&mut pending.data, pending.last, number, times);
            pending.last = Some(number);
            pending.chunks += 1;
        }
        self.chunk = chunk;
    }

    pub(crate) fn finish(self) -> Segment {
        let named = self.numbers.into_iter().collect::<Vec<_>>();
        let mut postings = self.postings;
        let mut terms: Vec<Term> = named
            .into_iter()
            .filter_map(|(text, number)| {
                let pending = std::mem::take(postings.get_mut(number)?);
                let (chunks, data) = (pending.chunks, pending.data);
                Some(Term { text, chunks, data })
            })
            .collect();
        terms.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        let lengths = self.lengths;
        Segment { lengths, terms }
    }

    fn term(&mut self, word: &str, is_compound: bool) -> Option<usize> {
        let known = match is_compound {
            true => &self.compounds,
            false => &self.known,
        };
        if let Some(number) = known.get(word) {
            return *number;
        }
        let term = term(&self.stemmer, word, is_compound);
        let number = term.map(|term| self.number(&term));
        let known = match is_compound {
            true => &mut self.compounds,
            false => &mut self.known,
        };
        known.insert(word.to_owned(), number);
        number
    }

    fn number(&mut self, term: &str) -> usize {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.postings.len();
        self.postings.push(Pending::default());
        self.numbers.insert(term.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::super::postings::Postings;
    use super::SegmentBuilder;

    #[test]
    fn chunks_are_found_under_their_terms() {
        let mut builder = SegmentBuilder::new();
        builder.add("Reboot, rebooting the host", &["=rack=r1".to_owned()]);
        builder.add("the", &[]);
        builder.add("host", &["=rack=r1".to_owned()]);
        let segment = builder.finish();
        assert_eq!(segment.lengths, [3, 1, 1]);
        let found: Vec<_> = segment
            .terms
            .iter()
            .map(|term| {
                (
                    term.text.as_str(),
                    term.chunks,
                    Postings::new(&term.data).collect::<Vec<_>>(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("=rack=r1", 2, vec![(0, 1), (2, 1)]),
                ("host", 2, vec![(0, 1), (2, 1)]),
                ("reboot", 1, vec![(0, 2)])
            ]
        );
    }
}
