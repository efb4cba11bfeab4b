//! Scores chunks. Pure.

use std::sync::Arc;

use super::MAX_EXACT;
use super::cached::{CachedIndex, CachedSegment};
use super::plan::Plan;
use super::term_postings::TermPostings;
use crate::index::{Bm25, Postings, TopScores};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScoredChunk {
    pub(super) chunk_id: i32,
    pub(super) score: f32,
    /// Number of matching identifiers.
    pub(super) exact: u32,
    /// Cosine of the vectors of question and chunk, if both have one.
    pub(super) dense: Option<f32>,
    /// Combined score of words and vectors.
    pub(super) fused: Option<f32>,
    /// Rank by words, from 1, before ordering by vectors.
    pub(super) before_dense: Option<usize>,
}

/// Bonus for each matching identifier. BM25 scores are always far smaller.
const EXACT: f32 = 1_000.0;

/// Scores of all searched chunks.
pub(super) struct Scores {
    segments: Vec<SegmentScores>,
    /// Whether chunks without any matching term are results too: a list by filters only.
    is_listing: bool,
}

struct SegmentScores {
    first_chunk: i32,
    /// BM25 plus the bonus of identifiers, by chunk; [`EXCLUDED`] if the chunk is deleted or a filter excludes it.
    scores: Vec<f32>,
}

/// Score of chunks that can't be results.
const EXCLUDED: f32 = f32::NEG_INFINITY;

impl Scores {
    pub(super) fn compute(
        plan: &Plan,
        indexes: &[Arc<CachedIndex>],
        postings: &TermPostings,
    ) -> Self {
        let (live, words) = indexes.iter().fold((0, 0), |(live, words), index| {
            (live + index.live, words + index.words)
        });
        let bm25 = Bm25::new(live, words);
        let weighted: Vec<(&str, f32)> = plan
            .terms
            .iter()
            .map(|term| (term.as_str(), bm25.weight(postings.chunks(term))))
            .collect();
        let exact: Vec<&str> = plan
            .exact
            .iter()
            .map(String::as_str)
            .filter(|term| (1..=MAX_EXACT).contains(&postings.chunks(term)))
            .collect();
        let segments = indexes.iter().flat_map(|index| &index.segments);
        let segments = segments.map(|segment| {
            let mut scores = vec![0.0_f32; segment.lengths.len()];
            for (term, weight) in &weighted {
                for_each_match(segment, postings, term, |chunk, times, length| {
                    if let Some(score) = scores.get_mut(chunk) {
                        *score += bm25.score(*weight, times, length);
                    }
                });
            }
            for term in &exact {
                for_each_match(segment, postings, term, |chunk, _, _| {
                    if let Some(score) = scores.get_mut(chunk) {
                        *score += EXACT;
                    }
                });
            }
            let allowed = allowed(plan, segment, postings);
            for (index, (score, length)) in scores.iter_mut().zip(&segment.lengths).enumerate() {
                let is_allowed = |allowed: &Vec<bool>| allowed.get(index) == Some(&true);
                if *length == 0 || !allowed.as_ref().is_none_or(is_allowed) {
                    *score = EXCLUDED;
                }
            }
            SegmentScores {
                first_chunk: segment.first_chunk,
                scores,
            }
        });
        let has_no_words = plan.terms.is_empty() && plan.exact.is_empty();
        let mut segments: Vec<SegmentScores> = segments.collect();
        segments.sort_unstable_by_key(|segment| segment.first_chunk);
        Self {
            segments,
            is_listing: has_no_words && !plan.filters.is_empty(),
        }
    }

    /// Returns the best `most` chunks, by number of matching identifiers, then by BM25.
    pub(super) fn best(&self, most: usize) -> Vec<ScoredChunk> {
        let mut best = TopScores::new(most);
        for (number, score) in self.searched() {
            if score > 0.0 || self.is_listing {
                best.add(score, number);
            }
        }
        let best = best.sorted().into_iter();
        best.map(|(number, score)| scored(number, score)).collect()
    }

    /// Returns a chunk, even if words didn't find it; `None` if it can't be a result.
    pub(super) fn get(&self, chunk_id: i32) -> Option<ScoredChunk> {
        let after = self
            .segments
            .partition_point(|segment| segment.first_chunk <= chunk_id);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        let index = usize::try_from(chunk_id - segment.first_chunk).ok()?;
        let score = segment.scores.get(index).filter(|score| **score >= 0.0)?;
        Some(scored(chunk_id, *score))
    }

    /// Returns the number of chunks that can be results.
    pub(super) fn count(&self) -> usize {
        self.searched().count()
    }

    /// Returns all chunks that can be results.
    pub(super) fn all(&self) -> Vec<i32> {
        self.searched().map(|(number, _)| number).collect()
    }

    fn searched(&self) -> impl Iterator<Item = (i32, f32)> {
        let numbered = self
            .segments
            .iter()
            .flat_map(|segment| (segment.first_chunk..).zip(segment.scores.iter().copied()));
        numbered.filter(|(_, score)| *score >= 0.0)
    }
}

fn scored(chunk_id: i32, score: f32) -> ScoredChunk {
    let exact = (score / EXACT).floor();
    ScoredChunk {
        chunk_id,
        score: score - exact * EXACT,
        exact: exact as u32,
        dense: None,
        fused: None,
        before_dense: None,
    }
}

/// Calls `found` with index, frequency and length of each live chunk that contains a term.
fn for_each_match(
    segment: &CachedSegment,
    postings: &TermPostings,
    term: &str,
    mut found: impl FnMut(usize, u32, u16),
) {
    for (chunk, times) in Postings::new(postings.postings(segment.segment_id, term)) {
        let index = chunk as usize;
        if let Some(length) = segment.lengths.get(index).filter(|length| **length > 0) {
            found(index, times, *length);
        }
    }
}

/// Returns a bitmap of the chunks that pass all filters; `None` without filters.
fn allowed(plan: &Plan, segment: &CachedSegment, postings: &TermPostings) -> Option<Vec<bool>> {
    let mut all: Option<Vec<bool>> = None;
    for group in &plan.filters {
        let mut any = vec![false; segment.lengths.len()];
        for term in group {
            for_each_match(segment, postings, term, |chunk, _, _| {
                if let Some(passes) = any.get_mut(chunk) {
                    *passes = true;
                }
            });
        }
        if let Some(before) = &all {
            for (passes, before) in any.iter_mut().zip(before) {
                *passes &= before;
            }
        }
        all = Some(any);
    }
    all
}
