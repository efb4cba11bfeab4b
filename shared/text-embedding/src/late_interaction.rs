//! Late interaction: how well the words of a text answer those of a question, as `ColBERT` scores (Khattab and Zaharia,
//! 2020). That model was trained for it; a model of sentences was not, so its scores order less well.

use ndarray::{Array2, ArrayView1, Axis};

/// Vectors of length 1 of the tokens of a text; without those of its beginning and end, and of punctuation.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenVectors(Array2<f32>);

impl TokenVectors {
    /// The rows for which `kept` is true.
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

    /// Score of a text for this question: for each token the cosine of the text's nearest token; their mean. 0 if either
    /// has no tokens.
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
        // Cosines: 0.6 and 0; 0.8 and 1. The nearest: 0.6 and 1.
        let text = TokenVectors::new(&array![[3.0, 4.0], [0.0, 1.0]], [true, true].into_iter());
        assert!((question.late_interaction(&text) - 0.8).abs() < 1e-6);
        assert!((question.late_interaction(&question) - 1.0).abs() < 1e-6);
        // The other way round each of the text's tokens counts: 0.8 and 1.
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
