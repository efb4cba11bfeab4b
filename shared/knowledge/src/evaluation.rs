//! Search quality: recall and nDCG over questions with known relevant records.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::search::{Arm, Help, Query, Searcher};

/// Number of results that are scored.
const CUTOFF: usize = 10;

/// A question with its relevant records.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Kind of question. Each kind is scored separately.
    pub kind: String,
    /// The question.
    pub question: String,
    /// All records that answer it.
    pub relevant: Vec<Relevant>,
}

/// A record that answers a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relevant {
    /// Its collection.
    pub collection: String,
    /// Its key.
    pub key: String,
}

/// Scores of one kind of question.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// Kind of question; `all` is the last.
    pub kind: String,
    /// Search method: `lexical`, `dense`, `hybrid` or `reranked`.
    pub arm: &'static str,
    /// Number of questions.
    pub questions: usize,
    /// Mean share of the relevant records among the first ten.
    pub recall: f64,
    /// Mean nDCG of the first ten; all relevant records have the same gain.
    pub ndcg: f64,
}

impl Question {
    /// Reads questions from a file of JSON lines.
    ///
    /// # Errors
    ///
    /// [`Error::File`] or [`Error::Invalid`] with the line.
    pub fn read(path: &Path) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let parsed = lines.map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| {
                Error::invalid(
                    format!("{}:{}", path.display(), number + 1),
                    error.to_string(),
                )
            })
        });
        parsed.collect()
    }
}

/// Scores the questions against all collections, with each arm that the searcher has.
///
/// # Errors
///
/// As [`Searcher::search`], and also if a model fails.
pub async fn evaluate(searcher: &Searcher, questions: &[Question]) -> Result<Vec<Score>> {
    let mut scores = Vec::new();
    for arm in searcher.arms() {
        scores.extend(evaluate_arm(searcher, questions, arm).await?);
    }
    Ok(scores)
}

async fn evaluate_arm(searcher: &Searcher, questions: &[Question], arm: Arm) -> Result<Vec<Score>> {
    let mut measured = Vec::new();
    for question in questions {
        let query = Query {
            text: question.question.clone(),
            limit: CUTOFF,
            ..Query::default()
        };
        let answer = searcher.search_by(&query, arm).await?;
        for help in [&answer.trace.dense, &answer.trace.rerank] {
            if let Help::Failed(reason) = help {
                return Err(Error::invalid(arm.name(), reason.clone()));
            }
        }
        let found: Vec<bool> = answer
            .results
            .iter()
            .map(|hit| {
                question
                    .relevant
                    .iter()
                    .any(|one| one.collection == hit.collection && one.key == hit.key)
            })
            .collect();
        let relevant = question.relevant.len();
        measured.push((
            question.kind.as_str(),
            recall(&found, relevant),
            ndcg(&found, relevant),
        ));
    }
    let mut kinds: Vec<&str> = measured.iter().map(|(kind, ..)| *kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let scores = kinds.into_iter().map(Some).chain([None]).map(|wanted| {
        let of_kind = measured
            .iter()
            .filter(|(kind, ..)| wanted.is_none_or(|wanted| wanted == *kind));
        let (number, recall, ndcg) = of_kind.fold((0, 0.0, 0.0), |(number, recall, ndcg), one| {
            (number + 1, recall + one.1, ndcg + one.2)
        });
        let mean = |sum: f64| sum / f64::from(u32::try_from(number.max(1)).unwrap_or(u32::MAX));
        Score {
            kind: wanted.unwrap_or("all").to_owned(),
            arm: arm.name(),
            questions: number,
            recall: mean(recall),
            ndcg: mean(ndcg),
        }
    });
    Ok(scores.collect())
}

fn recall(found: &[bool], relevant: usize) -> f64 {
    let found = found.iter().take(CUTOFF).filter(|found| **found).count();
    found as f64 / relevant.max(1) as f64
}

fn ndcg(found: &[bool], relevant: usize) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let got: f64 = found
        .iter()
        .take(CUTOFF)
        .enumerate()
        .filter(|(_, found)| **found)
        .map(|(rank, _)| gain(rank))
        .sum();
    let best: f64 = (0..relevant.clamp(1, CUTOFF)).map(gain).sum();
    got / best
}

#[cfg(test)]
mod tests {
    use super::{ndcg, recall};

    #[test]
    fn scores_are_those_of_the_textbook() {
        assert_eq!(
            (recall(&[true, true], 2), ndcg(&[true, true], 2)),
            (1.0, 1.0)
        );
        assert_eq!((recall(&[], 2), ndcg(&[], 2)), (0.0, 0.0));
        assert_eq!(recall(&[false, true], 4), 0.25);
        assert!((ndcg(&[false, true], 1) - 1.0 / 3.0_f64.log2()).abs() < 1e-9);
    }
}
