//! Why cases and sessions can't be read.

use std::path::PathBuf;

/// Why a case or a session can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder can't be read.
    #[error("failed to read {}", path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file is not a case.
    #[error("{} is not a case: {reason}", path.display())]
    Case {
        /// Its path.
        path: PathBuf,
        /// What is wrong, with its line.
        reason: String,
    },
    /// Two files hold cases with the same id.
    #[error("two cases have the id `{id}`: {} and {}", first.display(), second.display())]
    Twice {
        /// The id.
        id: String,
        /// One of the files.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// A text is no session as `tarsy export --format json` writes it.
    #[error("not an exported session: {0}")]
    Session(#[source] serde_json::Error),
}
