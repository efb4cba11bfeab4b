//! Errors of the test support.

use std::path::PathBuf;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of starting a PostgreSQL, a test database or a process.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No PostgreSQL is installed, and installing it failed.
    #[error(
        "no PostgreSQL {minimum} or newer could be found or installed:\n{tried}\n\
         Install one (Debian: `apt-get install postgresql`), name the folder of its binaries in \
         TARSY_POSTGRES_BIN, or point DATABASE_URL at a running server."
    )]
    NoPostgres {
        minimum: u32,
        /// Attempts, one line for each place or installer, with the result.
        tried: String,
    },

    /// A program failed.
    #[error("`{command}` failed with {status}{output}")]
    Command {
        command: String,
        status: std::process::ExitStatus,
        /// End of its output, starting on a new line; may be empty.
        output: String,
    },

    /// A program can't be started.
    #[error("cannot run `{command}`")]
    Spawn {
        command: String,
        source: std::io::Error,
    },

    /// A file or folder can't be used.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The failed action, as a verb: "create", "read".
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },

    /// Another run uses the cluster's folder.
    #[error(
        "another run uses the PostgreSQL in {}: wait for it to end, or choose another folder",
        folder.display()
    )]
    InUse { folder: PathBuf },

    /// The folder holds a cluster of another major version.
    #[error(
        "{} was made by PostgreSQL {made_by}, but the one found here is {found}: \
         remove the folder or choose another",
        folder.display()
    )]
    OtherVersion {
        folder: PathBuf,
        made_by: String,
        found: u32,
    },

    /// The server is unreachable or refused a statement.
    #[error("cannot {action} on the PostgreSQL at {server}")]
    Database {
        /// The failed action, as a verb phrase: "create a database".
        action: &'static str,
        server: String,
        source: sqlx::Error,
    },

    /// A migration is unreadable or failed.
    #[error("cannot apply the migrations of {}", folder.display())]
    Migrate {
        folder: PathBuf,
        source: sqlx::migrate::MigrateError,
    },

    /// The server's address is not a `postgres://` URL.
    #[error("{variable} is not a postgres:// URL")]
    Address {
        /// The environment variable that contains it.
        variable: &'static str,
        source: url::ParseError,
    },
}

impl Error {
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
