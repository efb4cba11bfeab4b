//! Start-up errors.

/// Reason why a process did not start. Its text is for the operator.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The environment or the configuration file has mistakes. All of them are listed.
    #[error("{0}")]
    Configuration(tarsy_config::Problems),
    /// No database is configured.
    #[error(
        "no database is configured: set DATABASE_URL, e.g. postgres://user:password@host:5432/tarsy \
         (`cargo xtask demo` brings one along)"
    )]
    NoDatabase,
    /// The database URL can't be used.
    #[error("invalid DATABASE_URL")]
    DatabaseUrl(#[source] tarsy_postgres::Error),
    /// The URL of the replica can't be used.
    #[error("invalid HISTORY_DATABASE_URL")]
    HistoryUrl(#[source] tarsy_postgres::Error),
    /// The sweeper can't be set up.
    #[error("failed to set up the sweeper")]
    Sweeper(#[source] tarsy_queue::Error),
    /// Logs or traces can't be set up.
    #[error("failed to set up logs or traces")]
    Telemetry(#[from] tarsy_telemetry::Error),
    /// The address for probes and metrics is not available.
    #[error(
        "failed to serve probes and metrics on {address}; set TARSY_OPS_LISTEN to another address, or to `off`"
    )]
    Ops {
        address: std::net::SocketAddr,
        #[source]
        source: std::io::Error,
    },
    /// Listening for signals failed.
    #[error("failed to listen for signals")]
    Signals(#[source] std::io::Error),
}

impl From<tarsy_config::Problems> for Error {
    fn from(problems: tarsy_config::Problems) -> Self {
        Self::Configuration(problems)
    }
}
