//! Late interaction: a score of how well the words of a text answer those of a question, as in `ColBERT` (Khattab and
//! Zaharia, 2020). `ColBERT` was trained for it. A sentence model was not, so its scores order texts less well.

use ndarray::{Array2, ArrayView1, Axis};

/// Vectors of length 1 of the tokens of a text, without its start and end tokens and punctuation.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenVectors(Array2<f32>);

impl TokenVectors {
    /// Takes the rows for which `kept` is true.
    pub(crate) fn new(vectors: &Array2<f32>, kept: impl Iterator<Item = bool>) -> Self {
        let rows = { kept }.enumerate().filter(|(_, kept)| *kept);
        let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
        let mut kept = vectors.select(Axis(0), &rows);
        for mut row in kept.rows_mut() {
            let length = row.dot(&row).sqrt().max(f32::MIN_POSITIVE);
            row /= length;
        }
        Self(kept)
    }

    /// Returns the score of `text` for this question. For each token of the question, the cosine of the nearest token
    /// of the text is taken. The score is their mean, or 0 if either has no tokens.
    #[must_use]
    pub fn late_interaction(&self, text: &Self) -> f32 {
        if self.0.is_empty() || text.0.is_empty() || self.0.ncols() != text.0.ncols() {
            return 0.0;
        }
        let cosines = self.0.dot(&text.0.t());
        let most = |row: ArrayView1<'_, f32>| row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = { cosines.rows() }.into_iter().map(most).sum();
        sum / self.0.nrows() as f32
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::TokenVectors;

    #[test]
    fn each_token_of_a_question_counts_its_nearest_of_the_text() {
        let question = array![[2.0, 0.0], [0.0, 3.0], [9.0, 9.0]];
        let question = TokenVectors::new(&question, [true, true, false].into_iter());
        // Cosines of the first token: 0.6 and 0; of the second: 0.8 and 1. The maximum of each: 0.6 and 1.
        let text = TokenVectors::new(&array![[3.0, 4.0], [0.0, 1.0]], [true, true].into_iter());
        assert!((question.late_interaction(&text) - 0.8).abs() < 1e-6);
        assert!((question.late_interaction(&question) - 1.0).abs() < 1e-6);
        // In the other direction, each of the text's tokens counts: 0.8 and 1.
        assert!((text.late_interaction(&question) - 0.9).abs() < 1e-6);
    }

    #[test]
    fn a_text_without_words_has_no_score() {
        let all = TokenVectors::new(&array![[1.0, 0.0]], [true].into_iter());
        let none = TokenVectors::new(&array![[1.0, 0.0]], [false].into_iter());
        assert_eq!(
            (all.late_interaction(&none), none.late_interaction(&all)),
            (0.0, 0.0)
        );
        let other = TokenVectors::new(&array![[1.0, 0.0, 0.0]], [true].into_iter());
        assert_eq!(all.late_interaction(&other), 0.0);
    }
}
