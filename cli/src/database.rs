//! Database connection of commands.

use std::io::ErrorKind;
use std::time::Duration;

use anyhow::{Result, anyhow};
use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_postgres::Primary;

/// Longest wait for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Finds the host that accepts writes, and connects once, so that an unusable database gives a readable error.
///
/// # Errors
///
/// The address of the database, the failure and a hint. If several hosts are configured, why each was rejected.
pub(crate) async fn check_reachable(primary: &Primary, pool: &PgPool) -> Result<()> {
    if let Err(error) = primary.wait_until_known(PATIENCE).await {
        let hint = "start one of them, promote a standby, or correct the hosts in DATABASE_URL";
        return Err(anyhow!(error).context(format!("no usable database: {hint}")));
    }
    let options = pool.connect_options();
    let place = match options.get_socket() {
        Some(socket) => format!("at the socket {}", socket.display()),
        None => format!("at {}:{}", options.get_host(), options.get_port()),
    };
    let connecting = PgConnection::connect_with(&options);
    let Ok(connected) = tokio::time::timeout(PATIENCE, connecting).await else {
        return Err(anyhow!(
            "the database {place} did not respond within {} s: check the address in DATABASE_URL and firewalls",
            PATIENCE.as_secs()
        ));
    };
    match connected {
        Ok(connection) => Ok(connection.close().await?),
        Err(error) => {
            let what = explain(&error, options.get_username(), options.get_database());
            Err(anyhow!(error).context(format!("the database {place} {what}")))
        }
    }
}

/// Describes the failure and adds a hint.
fn explain(error: &sqlx::Error, user: &str, database: Option<&str>) -> String {
    let database = database.unwrap_or(user);
    match error {
        sqlx::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
            "refused the connection: check that PostgreSQL is running there, or set DATABASE_URL"
                .to_owned()
        }
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => {
            "is unreachable: check host and port in DATABASE_URL".to_owned()
        }
        sqlx::Error::Database(refused) => match refused.code().as_deref() {
            Some("28P01" | "28000") => {
                format!("rejected user `{user}`: check user and password in DATABASE_URL")
            }
            Some("3D000") => {
                format!("has no database `{database}`: create it, or check DATABASE_URL")
            }
            Some("53300") => "has too many connections: raise max_connections, or retry".to_owned(),
            Some("57P03") => "is starting up or shutting down: retry in a moment".to_owned(),
            _ => "refused the connection".to_owned(),
        },
        _ => "is unusable".to_owned(),
    }
}
