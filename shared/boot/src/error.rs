//! Why a process did not start.

/// Why a process did not start; its text is for the operator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Environment or configuration file have mistakes; all of them are listed.
    #[error("{0}")]
    Configuration(tarsy_config::Problems),
    /// No database is named.
    #[error(
        "no database is configured: set DATABASE_URL, e.g. postgres://user:password@host:5432/tarsy \
         (`cargo xtask demo` brings one along)"
    )]
    NoDatabase,
    /// The database URL can't be used.
    #[error("DATABASE_URL can't be used")]
    DatabaseUrl(#[source] sqlx::Error),
    /// The sweeper can't be set up.
    #[error("sweeping can't be set up")]
    Sweeper(#[source] tarsy_queue::Error),
    /// Logs or traces can't be set up.
    #[error("logs can't be set up")]
    Telemetry(#[from] tarsy_telemetry::Error),
    /// Signals can't be listened to.
    #[error("signals can't be listened to")]
    Signals(#[source] std::io::Error),
}

impl From<tarsy_config::Problems> for Error {
    fn from(problems: tarsy_config::Problems) -> Self {
        Self::Configuration(problems)
    }
}
