//! Orders candidates by several scores. Pure.

use super::score::ScoredChunk;

/// Weight of the vectors' score; the rest is the weight of words. It was chosen on one half of the demo's questions and
/// measured on the other half (docs/decisions/0056-vectors-find-by-themselves.md).
const VECTORS: f32 = 0.7;

/// Orders chunks by words and vectors together. Both scores are scaled to 0..1, weighted and added.
///
/// Min-max fusion beat reciprocal rank fusion on 27 of 29 public data sets. Identifiers stay first. A chunk without a
/// vector counts as the least similar one. A chunk that words didn't find counts as the worst match by words.
pub(super) fn fuse(chunks: &mut [ScoredChunk]) {
    let lexical = Range::covering(chunks.iter().map(|chunk| chunk.score));
    let dense = Range::covering(chunks.iter().filter_map(|chunk| chunk.dense));
    number(chunks);
    for chunk in chunks.iter_mut() {
        let by_vector = chunk.dense.map_or(0.0, |score| dense.spread(score));
        let by_words = lexical.spread(chunk.score);
        chunk.fused = Some((1.0 - VECTORS) * by_words + VECTORS * by_vector);
    }
    sort(chunks, |chunk| chunk.fused.unwrap_or_default());
}

/// Orders chunks by vectors only. Identifiers stay first.
pub(super) fn by_dense(chunks: &mut [ScoredChunk]) {
    number(chunks);
    sort(chunks, |chunk| chunk.dense.unwrap_or(f32::NEG_INFINITY));
}

/// Records the rank by words of each chunk that words found.
fn number(chunks: &mut [ScoredChunk]) {
    for (place, chunk) in chunks.iter_mut().enumerate() {
        let by_words = chunk.score > 0.0 || chunk.exact > 0;
        chunk.before_dense = by_words.then_some(place + 1);
    }
}

fn sort(chunks: &mut [ScoredChunk], score: impl Fn(&ScoredChunk) -> f32) {
    // The sort is stable: chunks with equal scores keep their order by words.
    chunks.sort_by(|a, b| {
        let by_score = score(b).total_cmp(&score(a));
        b.exact.cmp(&a.exact).then(by_score)
    });
}

struct Range {
    least: f32,
    width: f32,
}

impl Range {
    fn covering(scores: impl Iterator<Item = f32>) -> Self {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        for score in scores {
            least = least.min(score);
            most = most.max(score);
        }
        Self {
            least,
            width: most - least,
        }
    }

    fn spread(&self, score: f32) -> f32 {
        match self.width > 0.0 {
            true => (score - self.least) / self.width,
            false => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{by_dense, fuse};
    use crate::search::score::ScoredChunk;

    fn chunks(all: &[(i32, f32, u32, Option<f32>)]) -> Vec<ScoredChunk> {
        let one = |&(chunk_id, score, exact, dense)| ScoredChunk {
            chunk_id,
            score,
            exact,
            dense,
            fused: None,
            before_dense: None,
        };
        all.iter().map(one).collect()
    }

    fn ids(chunks: &[ScoredChunk]) -> Vec<i32> {
        chunks.iter().map(|chunk| chunk.chunk_id).collect()
    }

    #[test]
    fn both_scores_count_and_identifiers_come_first() {
        // Scaled scores of words and vectors: 1 and 0, 0.5 and 1, 0 and 0.5, and an identifier.
        let mut all = chunks(&[
            (1, 9.0, 0, Some(0.1)),
            (2, 5.0, 0, Some(0.9)),
            (3, 1.0, 0, Some(0.5)),
            (4, 1.0, 1, None),
        ]);
        fuse(&mut all);
        assert_eq!(ids(&all), [4, 2, 3, 1]);
        let places: Vec<_> = all.iter().map(|chunk| chunk.before_dense).collect();
        assert_eq!(places, [Some(4), Some(2), Some(3), Some(1)]);
        for (chunk, expected) in all.iter().zip([0.0, 0.85, 0.35, 0.3]) {
            let fused = chunk.fused.unwrap();
            assert!((fused - expected).abs() < 1e-6, "{chunk:?}");
        }
        // With vectors only, words don't affect the order. Chunks that words didn't find have no rank by words.
        all.push(chunks(&[(5, 0.0, 0, Some(0.2))])[0]);
        by_dense(&mut all);
        assert_eq!(ids(&all), [4, 2, 3, 5, 1]);
        assert_eq!(all[3].before_dense, None);
    }

    #[test]
    fn without_vectors_the_order_of_words_stays() {
        let mut all = chunks(&[(1, 9.0, 0, None), (2, 5.0, 0, None), (3, 5.0, 0, None)]);
        fuse(&mut all);
        assert_eq!(ids(&all), [1, 2, 3]);
        fuse(&mut []);
    }
}
