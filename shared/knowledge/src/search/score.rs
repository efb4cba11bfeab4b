//! Scores chunks. Pure.

use std::sync::Arc;

use super::MAX_EXACT;
use super::cached::{CachedIndex, CachedSegment};
use super::plan::Plan;
use super::term_postings::TermPostings;
use crate::index::{Bm25, Postings, TopScores};

/// A scored chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScoredChunk {
    pub(super) chunk_id: i32,
    /// BM25 score.
    pub(super) score: f32,
    /// Number of matching identifiers.
    pub(super) exact: u32,
    /// Cosine of question and chunk, if both have vectors.
    pub(super) dense: Option<f32>,
    /// Score by words and vectors together.
    pub(super) fused: Option<f32>,
    /// Place by words, from 1, before vectors ordered.
    pub(super) before_dense: Option<usize>,
}

/// Bonus for each matching identifier: BM25 scores stay far below.
const EXACT: f32 = 1_000.0;

/// The best `most` chunks, by number of matching identifiers, then by BM25.
pub(super) fn best(
    plan: &Plan,
    indexes: &[Arc<CachedIndex>],
    postings: &TermPostings,
    most: usize,
) -> Vec<ScoredChunk> {
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
    let mut best = TopScores::new(most);
    for segment in indexes.iter().flat_map(|index| &index.segments) {
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
        let is_listing = plan.terms.is_empty() && plan.exact.is_empty();
        for (number, (score, length)) in
            (segment.first_chunk..).zip(scores.iter().zip(&segment.lengths))
        {
            if *length == 0 || (*score <= 0.0 && !(is_listing && allowed.is_some())) {
                continue;
            }
            let index = usize::try_from(number - segment.first_chunk).unwrap_or(usize::MAX);
            if allowed
                .as_ref()
                .is_none_or(|allowed| allowed.get(index) == Some(&true))
            {
                best.add(*score, number);
            }
        }
    }
    let scored = best.sorted().into_iter().map(|(chunk_id, score)| {
        let exact = (score / EXACT).floor();
        ScoredChunk {
            chunk_id,
            score: score - exact * EXACT,
            exact: exact as u32,
            dense: None,
            fused: None,
            before_dense: None,
        }
    });
    scored.collect()
}

/// Calls `found` with index, frequency and length of each live chunk that contains a term.
fn for_each_match(
    segment: &CachedSegment,
    postings: &TermPostings,
    term: &str,
    mut found: impl FnMut(usize, u32, u16),
) {
    for (chunk, times) in Postings::new(postings.of(segment.segment_id, term)) {
        let index = chunk as usize;
        if let Some(length) = segment.lengths.get(index).filter(|length| **length > 0) {
            found(index, times, *length);
        }
    }
}

/// Bitmap of the chunks that pass all filters; `None` without filters.
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
