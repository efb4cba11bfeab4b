//! Connects to Postgres as configured.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_config::settings::DatabaseSettings;
use tarsy_postgres::{Primary, Replica};

use crate::Error;

/// Creates a pool that connects when it is first used. So a process starts, and keeps running, while Postgres is down.
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

/// Returns the primary that `DATABASE_URL` leads to: the host that accepts writes.
///
/// A new primary may lack the last events of the old one, whose ids clients have already seen. So some event ids are
/// skipped before anything is written there.
///
/// # Errors
///
/// [`Error::NoDatabase`], [`Error::DatabaseUrl`].
pub fn primary(settings: &DatabaseSettings) -> Result<Primary, Error> {
    let url = settings.url.as_ref().ok_or(Error::NoDatabase)?;
    let primary = Primary::from_url(url.expose()).map_err(Error::DatabaseUrl)?;
    Ok(primary.on_found(|conn| Box::pin(tarsy_store::event_log::pass_by_event_ids(conn))))
}

/// Returns the replica that `HISTORY_DATABASE_URL` names, if it names one.
///
/// # Errors
///
/// [`Error::NoDatabase`], [`Error::DatabaseUrl`], [`Error::HistoryUrl`].
pub fn replica(settings: &DatabaseSettings) -> Result<Option<Replica>, Error> {
    let url = settings.replica_url.as_ref();
    url.map(|url| Replica::from_url(url.expose(), primary(settings)?).map_err(Error::HistoryUrl))
        .transpose()
}

/// Returns the application name of a pool's sessions in Postgres. It identifies the process if the pool connects to
/// Postgres directly.
fn shown_name(settings: &DatabaseSettings, name: &str) -> String {
    match &settings.direct_url {
        Some(direct) if settings.url.as_ref().map(|url| url.expose()) != Some(direct.expose()) => {
            name.to_owned()
        }
        _ => tarsy_queue::session_name(name, "pool"),
    }
}

/// Returns the URL that leads to Postgres without a pooler, for LISTEN and advisory locks.
///
/// # Errors
///
/// [`Error::NoDatabase`].
pub fn direct_url(settings: &DatabaseSettings) -> Result<&str, Error> {
    let url = settings.direct_url.as_ref().or(settings.url.as_ref());
    Ok(url.ok_or(Error::NoDatabase)?.expose())
}
