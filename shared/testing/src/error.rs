//! What can go wrong while a test's surroundings are set up.

use std::path::PathBuf;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a PostgreSQL, a test database or one of our processes could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing installed, and no way of installing it worked.
    #[error(
        "no PostgreSQL {minimum} or newer could be found or installed:\n{tried}\n\
         Install one (Debian: `apt-get install postgresql`), name the folder of its binaries in \
         TARSY_POSTGRES_BIN, or point DATABASE_URL at a running server."
    )]
    NoPostgres {
        /// Oldest major version that would do.
        minimum: u32,
        /// One line for each place or way that was tried, with what came of it.
        tried: String,
    },

    /// A program that was started said that it failed.
    #[error("`{command}` failed with {status}{output}")]
    Command {
        /// The program and its arguments.
        command: String,
        /// Its exit status.
        status: std::process::ExitStatus,
        /// The end of what it printed, on lines of its own; empty when it printed nothing.
        output: String,
    },

    /// A program could not be started at all.
    #[error("cannot run `{command}`")]
    Spawn {
        /// The program and its arguments.
        command: String,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// A file or folder could not be used.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, as a verb: "create", "read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// Another run holds the cluster's folder.
    #[error(
        "another run uses the PostgreSQL in {}: wait for it to end, or choose another folder",
        folder.display()
    )]
    InUse {
        /// The cluster's folder.
        folder: PathBuf,
    },

    /// The folder holds a cluster that these binaries cannot open.
    #[error(
        "{} was made by PostgreSQL {made_by}, but the one found here is {found}: \
         remove the folder or choose another",
        folder.display()
    )]
    OtherVersion {
        /// The cluster's folder.
        folder: PathBuf,
        /// Major version that made the data.
        made_by: String,
        /// Major version of the binaries at hand.
        found: u32,
    },

    /// The server refused or could not be reached.
    #[error("cannot {action} on the PostgreSQL at {server}")]
    Database {
        /// What was tried, as a verb phrase: "create a database".
        action: &'static str,
        /// Host and port, without credentials.
        server: String,
        /// What the driver said.
        source: sqlx::Error,
    },

    /// A migration could not be read or applied.
    #[error("cannot apply the migrations of {}", folder.display())]
    Migrate {
        /// The folder of migrations.
        folder: PathBuf,
        /// What the driver said.
        source: sqlx::migrate::MigrateError,
    },

    /// The address of the server is no `postgres://` URL.
    #[error("{variable} is not a postgres:// URL")]
    Address {
        /// The environment variable that holds it.
        variable: &'static str,
        /// What is wrong with it.
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
