//! Candidates by vectors.

use sqlx::PgConnection;

use super::score::Scores;
use super::trace::Compared;
use super::{COMPARED, DENSE, NEAREST};
use crate::error::Result;
use crate::index::TopScores;
use crate::models::cosine;
use crate::store;

/// The chunks nearest to a question, and among which they were searched.
///
/// Few chunks, such as those behind a selective filter, are all compared; of more the index of pgvector finds the
/// nearest, if there is one.
pub(super) async fn candidates(
    connection: &mut PgConnection,
    model: &str,
    question: &[f32],
    scores: &Scores,
) -> Result<(Compared, Vec<i32>)> {
    if let Some(all) = scores.all(COMPARED) {
        let vectors = store::vectors(connection, model, &all).await?;
        let mut nearest = TopScores::new(DENSE);
        for (chunk, vector) in &vectors {
            if let Some(score) = cosine(question, vector) {
                nearest.add(score, *chunk);
            }
        }
        let nearest = nearest.sorted().into_iter();
        return Ok((Compared::All, nearest.map(|(chunk, _)| chunk).collect()));
    }
    let mut nearest = Vec::new();
    for rows in NEAREST {
        let found = store::nearest(connection, model, question, rows).await?;
        let Some(found) = found else {
            return Ok((Compared::Words, Vec::new()));
        };
        let is_all = found.len() < rows;
        nearest = found;
        nearest.retain(|chunk| scores.get(*chunk).is_some());
        if is_all || nearest.len() >= DENSE {
            break;
        }
    }
    nearest.truncate(DENSE);
    Ok((Compared::Nearest, nearest))
}
