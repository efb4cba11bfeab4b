//! Database URL and connection pool.

use std::time::Duration;

use tarsy_postgres::HostList;

use super::reader::Reader;
use crate::Secret;

/// Connections to Postgres.
#[derive(Clone, Debug)]
pub struct DatabaseSettings {
    /// `DATABASE_URL`, or `HISTORY_DATABASE_URL` if only that is set. No default. It may go through PgBouncer in
    /// transaction mode, and may list several hosts, of which one accepts writes.
    pub url: Option<Secret>,
    /// `HISTORY_DATABASE_URL`, if it differs from `DATABASE_URL`: a streaming standby from which history is read.
    pub replica_url: Option<Secret>,
    /// `DATABASE_DIRECT_URL`: the same database without a pooler in between, for LISTEN and advisory locks. Default:
    /// `url`.
    pub direct_url: Option<Secret>,
    /// `DATABASE_MAX_CONNECTIONS`: largest number of connections of each process. Default 16.
    pub max_connections: u32,
    /// `DATABASE_MIN_CONNECTIONS`: number of connections that are kept open. Default 1.
    pub min_connections: u32,
    /// `DATABASE_ACQUIRE_TIMEOUT`: longest wait for a free connection. Default 5 s.
    pub acquire_timeout: Duration,
}

impl DatabaseSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let url = postgres_url(
            reader,
            "DATABASE_URL",
            "",
            "PostgreSQL 15 or later, `postgres://user:password@host/database`; several hosts, of which one takes writes: `@a:5432,b:5432/`",
        );
        let history_url = postgres_url(
            reader,
            "HISTORY_DATABASE_URL",
            "as DATABASE_URL",
            "a streaming standby that the API reads history from; alone, the older name of `DATABASE_URL`",
        );
        let (url, replica_url) = match (url, history_url) {
            (Some(url), Some(history)) if url.expose() != history.expose() => {
                one_host(reader, &history);
                (Some(url), Some(history))
            }
            (url, history) => (url.or(history), None),
        };
        let direct_url = postgres_url(
            reader,
            "DATABASE_DIRECT_URL",
            "as DATABASE_URL",
            "URL of the same database without a pooler, for LISTEN and advisory locks",
        );
        let max = reader.integer(
            "DATABASE_MAX_CONNECTIONS",
            16,
            (2, 10_000),
            "most connections of one process",
        );
        let min = reader.integer(
            "DATABASE_MIN_CONNECTIONS",
            1,
            (0, 10_000),
            "idle connections that one process keeps open",
        );
        if min > max {
            reader.problem(
                "`DATABASE_MIN_CONNECTIONS` is more than `DATABASE_MAX_CONNECTIONS`".to_owned(),
                "lower `DATABASE_MIN_CONNECTIONS` or raise `DATABASE_MAX_CONNECTIONS`",
            );
        }
        let range = (Duration::from_millis(100), Duration::from_secs(300));
        Self {
            direct_url: direct_url.or_else(|| url.clone()),
            url,
            replica_url,
            max_connections: max.try_into().unwrap_or(u32::MAX),
            min_connections: min.try_into().unwrap_or(u32::MAX),
            acquire_timeout: reader.duration(
                "DATABASE_ACQUIRE_TIMEOUT",
                Duration::from_secs(5),
                range,
                "longest wait for a free connection",
            ),
        }
    }
}

/// Reports a replica with several hosts. Failover between standbys needs one address in front of them.
fn one_host(reader: &mut Reader<'_>, url: &Secret) {
    let list = url.expose().parse::<HostList>();
    if list.is_ok_and(|list| list.hosts().len() > 1) {
        reader.problem(
            "`HISTORY_DATABASE_URL` names several hosts".to_owned(),
            "name one standby; while it is away, history is read from `DATABASE_URL`",
        );
    }
}

fn postgres_url(
    reader: &mut Reader<'_>,
    name: &'static str,
    default: &str,
    meaning: &'static str,
) -> Option<Secret> {
    let text = reader.text(name, default, meaning)?;
    if let Err(error) = text.parse::<HostList>() {
        reader.problem(
            format!("`{name}`: invalid PostgreSQL URL: {error}"),
            "expected `postgres://user:password@host:5432/database`, or with several hosts `@a:5432,b:5432/`; SQLite is not supported",
        );
        return None;
    }
    Some(Secret::new(text))
}
