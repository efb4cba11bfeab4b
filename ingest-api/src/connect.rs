//! Connections of the service.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tarsy_config::settings::DatabaseSettings;

/// Longest wait for a connection: a sender gets its 503 while it still listens.
const ACQUIRE: Duration = Duration::from_secs(2);

/// Why there are no connections.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No variable names a database.
    #[error("`DATABASE_URL` is not set: which PostgreSQL should be used?")]
    NoUrl,
    /// The URL can't be used.
    #[error("`DATABASE_URL` is not a PostgreSQL URL")]
    Url(#[source] sqlx::Error),
}

/// A pool that connects when it is first used, so that the service starts before its
/// database and outlives its restarts.
///
/// # Errors
///
/// [`ConnectError`].
pub fn connect(settings: &DatabaseSettings) -> Result<PgPool, ConnectError> {
    let url = settings.url.as_ref().ok_or(ConnectError::NoUrl)?;
    let options = PgConnectOptions::from_str(url.expose())
        .map_err(ConnectError::Url)?
        .application_name("tarsy ingest-api");
    Ok(PgPoolOptions::new()
        .max_connections(settings.max_connections)
        .min_connections(settings.min_connections)
        .acquire_timeout(settings.acquire_timeout.min(ACQUIRE))
        .connect_lazy_with(options))
}
