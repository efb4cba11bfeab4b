//! Errors of the configuration.

/// Error that prevents a configuration from being used.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    #[error("failed to read {what}")]
    File {
        what: String,
        source: std::io::Error,
    },
    /// The file is not valid YAML, does not have the expected form, or has a wrong value.
    #[error("{place}: {reason}")]
    Invalid {
        place: String,
        /// The mistake, and how to fix it.
        reason: String,
    },
    /// The HTTP client could not be created.
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
