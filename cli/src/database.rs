//! The database, for commands that need it at once.

use std::io::ErrorKind;
use std::time::Duration;

use anyhow::{Result, anyhow};
use sqlx::{Connection as _, PgConnection, PgPool};

/// Longest wait for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connect once, so that a database that can't be used is told of in words.
///
/// # Errors
///
/// Which database, what it does, and what to look at.
pub(crate) async fn reach(pool: &PgPool) -> Result<()> {
    let options = pool.connect_options();
    let place = match options.get_socket() {
        Some(socket) => format!("at the socket {}", socket.display()),
        None => format!("at {}:{}", options.get_host(), options.get_port()),
    };
    let connecting = PgConnection::connect_with(&options);
    let Ok(connected) = tokio::time::timeout(PATIENCE, connecting).await else {
        return Err(anyhow!(
            "the database {place} does not answer within {} s: is the address in DATABASE_URL right, and does a firewall let this machine through?",
            PATIENCE.as_secs()
        ));
    };
    match connected {
        Ok(connection) => Ok(connection.close().await?),
        Err(error) => {
            let what = said(&error, options.get_username(), options.get_database());
            Err(anyhow!(error).context(format!("the database {place} {what}")))
        }
    }
}

/// What the database did, and what to do.
fn said(error: &sqlx::Error, user: &str, database: Option<&str>) -> String {
    let database = database.unwrap_or(user);
    match error {
        sqlx::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
            "refuses the connection: is PostgreSQL running there? DATABASE_URL names another place"
                .to_owned()
        }
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => {
            "can't be reached: check host and port in DATABASE_URL".to_owned()
        }
        sqlx::Error::Database(refused) => match refused.code().as_deref() {
            Some("28P01" | "28000") => {
                format!("does not let `{user}` in: check user and password in DATABASE_URL")
            }
            Some("3D000") => {
                format!("has no database `{database}`: create it, or check DATABASE_URL")
            }
            Some("53300") => {
                "has no connection left: raise max_connections, or try again".to_owned()
            }
            Some("57P03") => "is starting up or shutting down: try again in a moment".to_owned(),
            _ => "refuses the connection".to_owned(),
        },
        _ => "can't be used".to_owned(),
    }
}
