//! Candidates by vectors.

use sqlx::PgConnection;

use super::DENSE;
use super::score::Scores;
use super::trace::Compared;
use crate::error::Result;
use crate::index::TopScores;
use crate::models::cosine;
use crate::store::{self, NearestIndex, Walk};

/// Chunks whose whole vectors are all read and compared here, where Postgres can compare them and where it can't.
const COMPARED: usize = 1_000;
const COMPARED_ALONE: usize = 5_000;
/// What it takes to look at the next row of a walk, in units of what it takes to compare a given chunk
/// (docs/decisions/0069-vectors-behind-filters.md).
const STEP: f64 = 6.0;
/// Rows beyond those that will probably do, behind a selective filter: else half of all walks would have to go on.
const MARGIN: f64 = 0.2;
/// Candidates that a walk behind a filter looks for, for each result that is wanted. Without a filter they cost next to
/// nothing, and it takes [`DENSE`].
const SPARE: usize = 3;
/// Rows after which a walk ends.
const MOST_ROWS: usize = 10_000;
/// Chunks that are all compared if a walk is too long or found too few: the nearest vectors may be what a filter excludes.
const MOST_COMPARED: usize = 100_000;

/// The chunks nearest to a question, and among which they were searched.
///
/// Few chunks, such as those behind a selective filter, are all compared; of more the index of pgvector finds the
/// nearest, if there is one.
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

/// How the nearest chunks are found with an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// All chunks that can be results are compared in Postgres.
    All,
    /// From the nearest vector on, those that can't be results are passed over.
    Walk(Walk),
}

/// The cheaper plan for `results` chunks among an index of `vectors`, of which `limit` are wanted.
fn plan(results: usize, vectors: f64, limit: usize) -> Plan {
    // The number of vectors may be an old one.
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
        // Everything, one in five, in fifty, in a hundred, in a thousand.
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
    fn more_results_are_looked_for_among_more_rows() {
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
