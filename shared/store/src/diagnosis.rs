//! Facts about the database server that show whether tarsy's guarantees hold.

use sqlx::PgConnection;

use crate::Error;

/// Settings and state of the server at this moment.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug)]
pub struct ServerFacts {
    /// E.g. `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    /// E.g. 150018.
    pub version_number: i32,
    /// Encoding of this database, e.g. `UTF8`.
    pub encoding: String,
    /// Whether it accepts writes: it is not a standby and not read-only.
    pub is_writable: bool,
    pub fsync: bool,
    pub full_page_writes: bool,
    pub autovacuum: bool,
    /// `synchronous_commit` of tarsy's sessions.
    pub synchronous_commit: String,
    /// `synchronous_standby_names`. If empty, commits wait for no standby.
    pub synchronous_standby_names: String,
    /// Number of standbys that stream from it, as far as tarsy's role can see them.
    pub standbys: i64,
    /// Number of sessions whose commit is waiting for a standby.
    pub waiting_for_standby: i64,
    pub max_connections: i32,
    /// Number of client sessions of all databases.
    pub connections: i64,
    /// Age of the oldest open transaction of this database, in seconds.
    pub oldest_transaction_seconds: f64,
    /// Used share of the transaction ids after which the server stops to prevent wraparound.
    pub transaction_ids_used: f64,
    /// Clock of the server, in Unix seconds.
    pub clock: f64,
}

/// Reads the facts. Needs no privilege. Without `pg_monitor`, sessions of other roles count as idle.
pub async fn server_facts(conn: &mut PgConnection) -> Result<ServerFacts, Error> {
    Ok(sqlx::query_as!(
        ServerFacts,
        r#"
        select current_setting('server_version') as "version!",
               current_setting('server_version_num')::int as "version_number!",
               current_setting('server_encoding') as "encoding!",
               current_setting('transaction_read_only') = 'off' as "is_writable!",
               current_setting('fsync') = 'on' as "fsync!",
               current_setting('full_page_writes') = 'on' as "full_page_writes!",
               current_setting('autovacuum') = 'on' as "autovacuum!",
               current_setting('synchronous_commit') as "synchronous_commit!",
               current_setting('synchronous_standby_names') as "synchronous_standby_names!",
               (select count(*) from pg_stat_replication) as "standbys!",
               (select count(*) from pg_stat_activity where wait_event = 'SyncRep') as "waiting_for_standby!",
               current_setting('max_connections')::int as "max_connections!",
               (select count(*) from pg_stat_activity where backend_type = 'client backend') as "connections!",
               (select coalesce(extract(epoch from max(clock_timestamp() - xact_start)), 0)::float8
                from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())
                   as "oldest_transaction_seconds!",
               (select max(age(datfrozenxid)) / 2147483648.0 from pg_database)::float8 as "transaction_ids_used!",
               extract(epoch from clock_timestamp())::float8 as "clock!"
        "#
    )
    .fetch_one(conn)
    .await?)
}

/// Minimum number of connections of a process: its lock, its listener, the pool, history, and two that commit.
pub const FEWEST_CONNECTIONS: i32 = 6;

/// Returns the maximum number of connections that this login may have to this database, over all processes. `None`:
/// only the server's limit applies.
pub async fn connection_limit(conn: &mut PgConnection) -> Result<Option<i32>, Error> {
    // These limits don't apply to superusers.
    let limit = "select least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1))
                 from pg_roles r, pg_database d
                 where r.rolname = session_user and not r.rolsuper and d.datname = current_database()";
    let limit: Option<Option<i32>> = sqlx::query_scalar(limit).fetch_optional(conn).await?;
    Ok(limit.flatten())
}
