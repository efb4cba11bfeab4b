//! Errors for texts that can't be masked. Such a text is withheld.

/// Reason why a text could not be masked. Contains nothing of the text.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is longer than [`crate::MAX_TEXT_BYTES`].
    #[error("text of {bytes} bytes is longer than the {limit} bytes that are masked")]
    TooLong {
        bytes: usize,
        /// Longest text that is masked at once, in bytes.
        limit: usize,
    },
    /// Replacements kept creating new matches. Only custom patterns can do that.
    #[error("masking did not converge after {rounds} rounds")]
    Unsettled { rounds: usize },
    /// A bug in the masking code.
    #[error("masking failed internally")]
    Internal,
}
