//! BM25 scores over packed postings, and the top results.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// BM25 scorer (Robertson and Zaragoza, 2009), with Lucene's inverse document frequency, which is never negative.
pub(crate) struct Bm25 {
    chunks: f32,
    /// Norm for each chunk length in words.
    norms: Vec<f32>,
}

impl Bm25 {
    /// Creates a scorer for an index of `chunks` chunks with `words` words in total.
    pub(crate) fn new(chunks: u64, words: u64) -> Self {
        let average = words.max(1) as f32 / chunks.max(1) as f32;
        let norm = |length: u16| K1 * (1.0 - B + B * f32::from(length) / average);
        Self {
            chunks: chunks as f32,
            norms: (0..=u16::MAX).map(norm).collect(),
        }
    }

    /// Returns the inverse document frequency of a term that `found` chunks contain.
    pub(crate) fn weight(&self, found: u64) -> f32 {
        let found = (found as f32).min(self.chunks);
        (1.0 + (self.chunks - found + 0.5) / (found + 0.5)).ln() * (K1 + 1.0)
    }

    /// Returns the score of a term that occurs `times` times in a chunk of this length.
    pub(crate) fn score(&self, weight: f32, times: u32, length: u16) -> f32 {
        let times = times as f32;
        let norm = self.norms.get(usize::from(length)).copied().unwrap_or(K1);
        weight * times / (times + norm)
    }
}

/// Collects the highest scores. Ties go to the lower chunk number.
pub(crate) struct TopScores {
    most: usize,
    /// Min-heap by rank: the worst score is on top.
    kept: BinaryHeap<Scored>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Scored {
    score: f32,
    number: i32,
}

impl TopScores {
    pub(crate) const fn new(most: usize) -> Self {
        let kept = BinaryHeap::new();
        Self { most, kept }
    }

    pub(crate) fn add(&mut self, score: f32, number: i32) {
        let scored = Scored { score, number };
        if self.kept.len() < self.most {
            self.kept.push(scored);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && scored < *worst
        {
            *worst = scored;
        }
    }

    /// Returns the collected chunks, best first.
    pub(crate) fn sorted(self) -> Vec<(i32, f32)> {
        let sorted = self.kept.into_sorted_vec();
        sorted
            .into_iter()
            .map(|scored| (scored.number, scored.score))
            .collect()
    }
}

impl Eq for Scored {}

impl Ord for Scored {
    /// Reversed, so that the top of the heap is the worst score.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bm25, TopScores};

    #[test]
    fn rare_terms_repetitions_and_short_chunks_count() {
        let bm25 = Bm25::new(1_000, 100_000);
        let (rare, common) = (bm25.weight(2), bm25.weight(900));
        assert!(rare > common && common > 0.0);
        assert!(bm25.score(rare, 2, 100) > bm25.score(rare, 1, 100));
        assert!(bm25.score(rare, 1, 50) > bm25.score(rare, 1, 100));
        // ln(1 + 998.5 / 2.5) * 2.2 * 1 / (1 + 1.2)
        assert!((bm25.score(rare, 1, 100) - 400.4_f32.ln()).abs() < 1e-4);
    }

    #[test]
    fn the_best_are_kept_in_order() {
        let mut best = TopScores::new(3);
        for (number, score) in [(1, 0.5), (2, 2.0), (3, 1.0), (4, 2.0), (5, 0.1), (6, 1.0)] {
            best.add(score, number);
        }
        assert_eq!(best.sorted(), [(2, 2.0), (4, 2.0), (3, 1.0)]);
    }
}
