//! Facts about the database server that decide whether what is promised can be kept.

use sqlx::PgConnection;

use crate::Error;

/// The server as it is set up, at this moment.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug)]
pub struct ServerFacts {
    /// E.g. `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    /// E.g. 150018.
    pub version_number: i32,
    /// Encoding of this database, e.g. `UTF8`.
    pub encoding: String,
    /// Whether it accepts writes: no standby, and not switched to read-only.
    pub is_writable: bool,
    pub fsync: bool,
    pub full_page_writes: bool,
    pub autovacuum: bool,
    /// `synchronous_commit` of our own sessions.
    pub synchronous_commit: String,
    /// `synchronous_standby_names`; empty: commits wait for no standby.
    pub synchronous_standby_names: String,
    /// Standbys that stream from it, as far as our role may see them.
    pub standbys: i64,
    /// Sessions whose commit waits for a standby now.
    pub waiting_for_standby: i64,
    pub max_connections: i32,
    /// Client sessions of all databases.
    pub connections: i64,
    /// Age of the oldest open transaction of this database, in seconds.
    pub oldest_transaction_seconds: f64,
    /// Share of the transaction ids that may pass before the server stops to prevent wraparound.
    pub transaction_ids_used: f64,
    /// Its clock, in Unix seconds.
    pub clock: f64,
}

/// Reads the facts. Needs no privilege; without `pg_monitor` sessions of other roles count as idle.
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

/// Fewest connections that one process works with: its lock, its listener, the pool, history, and two that commit.
pub const FEWEST_CONNECTIONS: i32 = 6;

/// Most connections that this login may hold to this database, all processes together. `None`: no limit but the server's.
pub async fn connection_limit(conn: &mut PgConnection) -> Result<Option<i32>, Error> {
    // Limits don't hold for superusers.
    let limit = "select least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1))
                 from pg_roles r, pg_database d
                 where r.rolname = session_user and not r.rolsuper and d.datname = current_database()";
    let limit: Option<Option<i32>> = sqlx::query_scalar(limit).fetch_optional(conn).await?;
    Ok(limit.flatten())
}
