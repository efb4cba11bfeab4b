//! Errors of the knowledge store.

use std::path::PathBuf;

/// Error of a knowledge command or query.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database is unreachable or refused the statement.
    #[error("database statement failed")]
    Database(#[from] sqlx::Error),
    /// `tarsy knowledge enable` has not been run in this database.
    #[error("the knowledge store is not enabled here: run `tarsy knowledge enable`")]
    NotEnabled,
    /// The store was created by a newer version of the program.
    #[error("the knowledge store is at version {found}, newer than this program's {known}")]
    NewerStore { found: i32, known: i32 },
    /// A file could not be read or written.
    #[error("failed to {action} {}", path.display())]
    File {
        /// The failed action: `read`, `write`, `open`.
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    /// Invalid mapping or other JSON or YAML input.
    #[error("{what}: {reason}")]
    Invalid {
        /// The file or the part with the mistake.
        what: String,
        /// The mistake, and how to fix it.
        reason: String,
    },
    /// Unknown collection.
    #[error("no collection is named `{0}`: see `tarsy knowledge show`")]
    UnknownCollection(String),
    /// Unknown field, or one that can't be filtered by.
    #[error("collection `{collection}` has no filter `{field}`; it has: {known}")]
    UnknownFilter {
        collection: String,
        field: String,
        /// Fields that can be filtered by, separated by commas.
        known: String,
    },
    /// Another process is loading into the same collection.
    #[error("another process is loading into collection `{0}`: wait for it")]
    Busy(String),
    /// Stored JSON that this version can't read.
    #[error("failed to read stored data")]
    Decode(#[from] serde_json::Error),
    /// A model used by search returned no usable answer.
    #[error("the model gave no answer")]
    Model(#[from] crate::models::EndpointError),
    /// The folder can't be used as a local model.
    #[error("the local model can't be used")]
    LocalModel(#[from] tarsy_text_embedding::Error),
    /// The reader thread ended early.
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
