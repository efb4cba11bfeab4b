//! Mistakes of a configuration.

/// Mistake in the configuration file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    #[error("failed to read {what}")]
    File {
        /// The file.
        what: String,
        /// Cause.
        source: std::io::Error,
    },
    /// It is no YAML of the expected form.
    #[error("{what}: {reason}")]
    Syntax {
        /// The file.
        what: String,
        /// The mistake and its place.
        reason: String,
    },
    /// A value is wrong.
    #[error("{place}: {reason}")]
    Invalid {
        /// Where, e.g. `apis.status.tools.incidents`.
        place: String,
        /// The mistake, and how to fix it.
        reason: String,
    },
    /// The HTTP client could not be made.
    #[error(transparent)]
    Client(#[from] tarsy_egress::Error),
}

impl Error {
    pub(crate) fn invalid(place: &str, reason: impl Into<String>) -> Self {
        Self::Invalid {
            place: place.to_owned(),
            reason: reason.into(),
        }
    }
}
