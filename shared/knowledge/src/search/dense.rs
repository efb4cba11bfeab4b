//! Finds candidates by vectors.

use sqlx::PgConnection;

use super::DENSE;
use super::score::Scores;
use super::trace::Compared;
use crate::error::Result;
use crate::index::TopScores;
use crate::models::cosine;
use crate::store::{self, NearestIndex, Walk};

/// Maximum number of chunks whose vectors are all compared, if Postgres can compare vectors and if it can't.
const COMPARED: usize = 1_000;
const COMPARED_ALONE: usize = 5_000;
/// Cost of reading the next row of a walk, in units of comparing one given chunk
/// (docs/decisions/0069-vectors-behind-filters.md).
const STEP: f64 = 6.0;
/// Share of additional rows that are read beyond the expected number if a filter is selective. Without them, half of
/// all walks would have to read more.
const MARGIN: f64 = 0.2;
/// Number of candidates per wanted result that a walk searches for under a filter. Without a filter, candidates cost
/// almost nothing, and the walk searches for [`DENSE`] candidates.
const SPARE: usize = 3;
/// Maximum number of rows that a walk reads.
const MOST_ROWS: usize = 10_000;
/// Maximum number of chunks that are all compared if a walk would be too long or found too few. The filter may exclude
/// the nearest vectors.
const MOST_COMPARED: usize = 100_000;

/// Returns the chunks nearest to a question, and among which chunks they were searched.
///
/// If there are few chunks, e.g. under a selective filter, all are compared. If there are more, the index of pgvector
/// finds the nearest ones, if it exists.
pub(super) async fn candidates(
    connection: &mut PgConnection,
    model: &str,
    question: &[f32],
    scores: &Scores,
    limit: usize,
) -> Result<(Compared, Vec<i32>)> {
    let results = scores.count();
    let index = match results <= COMPARED {
        true => None,
        false => NearestIndex::find(connection, model, question.len()).await?,
    };
    let Some(index) = index else {
        if results > COMPARED_ALONE {
            return Ok((Compared::Words, Vec::new()));
        }
        let nearest = compare_here(connection, model, question, &scores.all()).await?;
        return Ok((Compared::All, nearest));
    };
    if let Plan::Walk(walk) = plan(results, index.vectors(), limit) {
        let is_result = |chunk| scores.get(chunk).is_some();
        let nearest = index.walk(connection, question, walk, is_result).await?;
        if nearest.len() >= walk.wanted / 2 || results > MOST_COMPARED {
            return Ok((Compared::Nearest, nearest));
        }
    }
    let all = scores.all();
    let nearest = index.nearest_of(connection, question, &all, DENSE).await?;
    Ok((Compared::All, nearest))
}

async fn compare_here(
    connection: &mut PgConnection,
    model: &str,
    question: &[f32],
    chunks: &[i32],
) -> Result<Vec<i32>> {
    let vectors = store::vectors(connection, model, chunks).await?;
    let mut nearest = TopScores::new(DENSE);
    for (chunk, vector) in &vectors {
        if let Some(score) = cosine(question, vector) {
            nearest.add(score, *chunk);
        }
    }
    let nearest = nearest.sorted().into_iter();
    Ok(nearest.map(|(chunk, _)| chunk).collect())
}

/// How the nearest chunks are found if there is an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Postgres compares all chunks that can be results.
    All,
    /// Reads vectors from the nearest one on, and skips those that can't be results.
    Walk(Walk),
}

/// Returns the cheaper plan for `results` possible chunks in an index of `vectors`, if `limit` results are wanted.
fn plan(results: usize, vectors: f64, limit: usize) -> Plan {
    // The number of vectors may be outdated.
    let share = (results as f64 / vectors.max(1.0)).min(1.0);
    let wanted = match share > 0.5 {
        true => DENSE,
        false => (limit * SPARE).min(DENSE),
    };
    let margin = 1.0 + MARGIN * (1.0 - share);
    let rows = (wanted as f64 / share * margin).round() as usize;
    let is_cheaper = results as f64 <= rows as f64 * STEP;
    match results <= MOST_COMPARED && (rows > MOST_ROWS || is_cheaper) {
        true => Plan::All,
        false => Plan::Walk(Walk {
            wanted,
            expected: rows,
            most: MOST_ROWS,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{DENSE, MOST_ROWS, Plan, Walk, plan};

    fn rows(results: usize, vectors: f64) -> Option<usize> {
        match plan(results, vectors, 10) {
            Plan::All => None,
            Plan::Walk(walk) => Some(walk.expected),
        }
    }

    #[test]
    fn the_more_a_filter_leaves_the_shorter_is_the_walk() {
        // All chunks, then one in 5, in 50, in 100 and in 1,000.
        assert_eq!(rows(1_000_000, 1e6), Some(DENSE));
        assert_eq!(rows(200_000, 1e6), Some(174));
        assert_eq!(rows(20_000, 1e6), Some(1_794));
        assert_eq!(rows(10_000, 1e6), None);
        assert_eq!(rows(1_000, 1e6), None);
        assert_eq!(rows(20_000, 1e5), Some(174));
        assert_eq!(rows(2_000, 1e5), None);
    }

    #[test]
    fn what_is_beyond_both_bounds_is_walked_as_far_as_a_walk_goes() {
        assert_eq!(rows(100_000, 2e8), None);
        assert_eq!(rows(200_000, 1e9), Some(179_994));
    }

    #[test]
    fn more_results_are_searched_among_more_rows() {
        let walk = |limit| plan(50_000, 1e6, limit);
        assert_eq!((walk(10), walk(20)), (walked(30, 714), walked(60, 1_428)));
        assert_eq!(walk(200), walked(DENSE, 4_760));
    }

    fn walked(wanted: usize, expected: usize) -> Plan {
        Plan::Walk(Walk {
            wanted,
            expected,
            most: MOST_ROWS,
        })
    }

    #[test]
    fn an_index_that_was_never_counted_is_walked_as_if_all_were_results() {
        for vectors in [-1.0, 0.0, 10.0] {
            assert_eq!(rows(100_000, vectors), Some(DENSE), "{vectors}");
        }
    }
}
