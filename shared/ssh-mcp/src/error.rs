//! Errors of a configuration and of a command.

/// Mistake in the configuration file.
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
    /// It is no YAML of the expected form.
    #[error("{what}: {reason}")]
    Syntax { what: String, reason: String },
    /// It is a plain list of commands and hosts.
    #[error(
        "{what} lists commands and hosts, but no login, no key and no keys of the hosts. Write this and complete it (docs/SSH.md):\n\n{file}"
    )]
    Allowlist { what: String, file: String },
    /// A value is wrong.
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

/// Why a command has no result. Its text is for the model that asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    /// The caller's mistake; nothing was sent.
    #[error("{0}")]
    Arguments(String),
    /// Policy; nothing was sent.
    #[error("this command is not allowed on `{0}`")]
    NotAllowed(String),
    /// The denylist; nothing was sent.
    #[error("the denylist refuses this command")]
    Denied,
    /// Another command holds the host; nothing was sent.
    #[error("`{0}` is running another command: try again later")]
    Busy(String),
    /// The host was not reached or not trusted; nothing was sent.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke, or ended late, after the command was sent.
    #[error("{0}; whether the command ran to its end is unknown")]
    Unknown(String),
}
