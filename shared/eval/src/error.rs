//! Errors of reading cases and sessions.

use std::path::{Path, PathBuf};

/// Reason why a case or a session can't be read.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder can't be read.
    #[error("failed to read {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A file is not a case.
    #[error("{} is not a case: {reason}", path.display())]
    Case {
        path: PathBuf,
        /// Reason, with the line in the file.
        reason: String,
    },
    /// Two files contain cases with the same id.
    #[error("two cases have the id `{id}`: {} and {}", first.display(), second.display())]
    Twice {
        id: String,
        first: PathBuf,
        second: PathBuf,
    },
    /// A text is not a session in the format of `tarsy export --format json`.
    #[error("not an exported session: {0}")]
    Session(#[source] serde_json::Error),
}

impl Error {
    /// Creates the error for a file that is not a case.
    pub(crate) fn case(path: &Path, reason: impl ToString) -> Self {
        Self::Case {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
