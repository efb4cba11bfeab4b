//! Why a text could not be masked; such a text is withheld.

/// A text that could not be masked. Nothing of the text is in the error.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is longer than [`crate::MAX_TEXT_BYTES`].
    #[error("text of {bytes} bytes is longer than the {limit} bytes that are masked")]
    TooLong {
        bytes: usize,
        /// The most that is masked at once.
        limit: usize,
    },
    /// Replacing secrets kept uncovering new ones; only custom patterns can do that.
    #[error("masking did not converge after {rounds} rounds")]
    Unsettled { rounds: usize },
    /// A defect of the masking code itself.
    #[error("masking failed internally")]
    Internal,
}
