//! Connects to Postgres as configured.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_config::settings::DatabaseSettings;
use tarsy_postgres::{Primary, Replica};

use crate::Error;

/// A pool that connects when it is first used: a process starts, and stays up, while
/// Postgres is away.
///
/// # Errors
///
/// [`Error::NoDatabase`], [`Error::DatabaseUrl`].
pub fn connect(settings: &DatabaseSettings, name: &str) -> Result<PgPool, Error> {
    let primary = primary(settings)?;
    let options = primary.options();
    let options = tarsy_queue::steady_plans(options.application_name(&shown_name(settings, name)));
    let pool = PgPoolOptions::new()
        .max_connections(settings.max_connections)
        .min_connections(settings.min_connections)
        .acquire_timeout(settings.acquire_timeout);
    Ok(tarsy_queue::wary_pool(&primary, pool, options))
}

/// Where `DATABASE_URL` takes writes.
///
/// A new primary may not know the last events of the old one, whose ids clients have seen: before anything is written
/// there, some ids are passed by.
///
/// # Errors
///
/// [`Error::NoDatabase`], [`Error::DatabaseUrl`].
pub fn primary(settings: &DatabaseSettings) -> Result<Primary, Error> {
    let url = settings.url.as_ref().ok_or(Error::NoDatabase)?;
    let primary = Primary::from_url(url.expose()).map_err(Error::DatabaseUrl)?;
    Ok(primary.on_found(|conn| Box::pin(tarsy_store::event_log::pass_by_event_ids(conn))))
}

/// The replica that `HISTORY_DATABASE_URL` names.
///
/// # Errors
///
/// [`Error::NoDatabase`], [`Error::DatabaseUrl`], [`Error::HistoryUrl`].
pub fn replica(settings: &DatabaseSettings) -> Result<Option<Replica>, Error> {
    let url = settings.replica_url.as_ref();
    url.map(|url| Replica::from_url(url.expose(), primary(settings)?).map_err(Error::HistoryUrl))
        .transpose()
}

/// What Postgres shows a pool's sessions as: with the process where they reach it directly.
fn shown_name(settings: &DatabaseSettings, name: &str) -> String {
    match &settings.direct_url {
        Some(direct) if settings.url.as_ref().map(|url| url.expose()) != Some(direct.expose()) => {
            name.to_owned()
        }
        _ => tarsy_queue::session_name(name, "pool"),
    }
}

/// The URL that reaches Postgres itself, for LISTEN and advisory locks.
///
/// # Errors
///
/// [`Error::NoDatabase`].
pub fn direct_url(settings: &DatabaseSettings) -> Result<&str, Error> {
    let url = settings.direct_url.as_ref().or(settings.url.as_ref());
    Ok(url.ok_or(Error::NoDatabase)?.expose())
}
