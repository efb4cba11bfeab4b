//! Errors in a configuration and errors of commands.

/// Mistake in a configuration file.
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
    /// The file is not YAML of the expected form.
    #[error("{what}: {reason}")]
    Syntax { what: String, reason: String },
    /// The file is a plain list of commands and hosts.
    #[error(
        "{what} lists commands and hosts, but no login, no key and no keys of the hosts. Write this and complete it (docs/SSH.md):\n\n{file}"
    )]
    Allowlist { what: String, file: String },
    /// A value is invalid.
    #[error("{place}: {reason}")]
    Invalid {
        place: String,
        /// The mistake, and how to fix it.
        reason: String,
    },
}

impl Error {
    pub(crate) fn invalid(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid {
            place: place.into(),
            reason: reason.into(),
        }
    }
}

/// Reason why a command has no result. The message is for the model that called the tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    /// The caller made a mistake. Nothing was sent.
    #[error("{0}")]
    Arguments(String),
    /// The policy does not allow the command. Nothing was sent.
    #[error("this command is not allowed on `{0}`")]
    NotAllowed(String),
    /// The denylist refuses the command. Nothing was sent.
    #[error("the denylist refuses this command")]
    Denied,
    /// Another command is running on the host. Nothing was sent.
    #[error("`{0}` is running another command: try again later")]
    Busy(String),
    /// The host was not reached or is not trusted. Nothing was sent.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke, or the command ended too late, after it was sent.
    #[error("{0}; whether the command ran to its end is unknown")]
    Unknown(String),
}
