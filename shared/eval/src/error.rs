//! Why cases and sessions can't be read.

use std::path::{Path, PathBuf};

/// Why a case or a session can't be read.
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
        /// What is wrong, with its line.
        reason: String,
    },
    /// Two files hold cases with the same id.
    #[error("two cases have the id `{id}`: {} and {}", first.display(), second.display())]
    Twice {
        id: String,
        first: PathBuf,
        second: PathBuf,
    },
    /// A text is no session as `tarsy export --format json` writes it.
    #[error("not an exported session: {0}")]
    Session(#[source] serde_json::Error),
}

impl Error {
    /// A file is not a case, for this reason.
    pub(crate) fn case(path: &Path, reason: impl ToString) -> Self {
        Self::Case {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
