//! Errors of the knowledge store.

use std::path::PathBuf;

/// Why a command or a query over the knowledge store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database refused, or could not be reached.
    #[error("database statement failed")]
    Database(#[from] sqlx::Error),
    /// `tarsy knowledge enable` has not been run in this database.
    #[error("the knowledge store is not enabled here: run `tarsy knowledge enable`")]
    NotEnabled,
    /// The store was made by a newer program.
    #[error("the knowledge store is at version {found}, newer than this program's {known}")]
    NewerStore {
        /// Version in the database.
        found: i32,
        /// Version of this program.
        known: i32,
    },
    /// A file could not be read or written.
    #[error("failed to {action} {}", path.display())]
    File {
        /// What was tried: `read`, `write`, `open`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A JSON or YAML file of ours, such as a mapping, has a mistake.
    #[error("{what}: {reason}")]
    Invalid {
        /// The file or part that has it.
        what: String,
        /// The mistake, and what to do.
        reason: String,
    },
    /// No collection has this name.
    #[error("no collection is named `{0}`: see `tarsy knowledge show`")]
    UnknownCollection(String),
    /// A field of this name does not exist, or cannot be filtered by.
    #[error("collection `{collection}` has no filter `{field}`; it has: {known}")]
    UnknownFilter {
        /// The collection.
        collection: String,
        /// The field asked for.
        field: String,
        /// Fields that can be filtered by, separated by commas.
        known: String,
    },
    /// Another process loads into the same collection.
    #[error("another process is loading into collection `{0}`: wait for it")]
    Busy(String),
    /// Stored JSON that this version does not understand.
    #[error("failed to read stored data")]
    Decode(#[from] serde_json::Error),
    /// A thread of ours ended early.
    #[error("the reader of the file ended early")]
    Interrupted,
}

impl Error {
    pub(crate) fn invalid(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }
}

/// Result of the knowledge store.
pub type Result<T, E = Error> = std::result::Result<T, E>;
