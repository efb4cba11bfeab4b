//! Scans for the sweeper's work in one read-only statement.

use sqlx::PgExecutor;
use uuid::Uuid;

/// Result of a scan.
#[derive(Debug)]
pub(super) struct Scan {
    /// Workers that are alive or have sent a heartbeat since this session began. Empty unless requested.
    pub(super) alive: Vec<Uuid>,
    /// Workers without their lock whose process has no other session either.
    pub(super) missing: Vec<Uuid>,
    /// Whether a lease has expired. False unless requested.
    pub(super) expired: bool,
    /// Whether a scheduled job is due.
    pub(super) due: bool,
    /// Number of sweepers that are connected now.
    pub(super) sweepers: i64,
}

/// Scans for dead workers, expired leases and due jobs.
///
/// A process without its lock is still alive while it has another session ([`session_name`](crate::session_name)), no
/// matter how long that session works on a statement. Its backend checks meanwhile whether the process is gone
/// ([`steady_plans`](crate::steady_plans)).
pub(super) async fn scan(
    executor: impl PgExecutor<'_>,
    for_living: bool,
    for_expired: bool,
) -> Result<Scan, sqlx::Error> {
    sqlx::query_as!(
        Scan,
        r#"
        with sessions as materialized (
            select application_name as name, case when pid = pg_backend_pid() then backend_start end as began
            from pg_stat_activity where datname = current_database()
        ), locks as materialized (
            select (l.classid::bigint << 32) | l.objid::bigint as key from pg_locks l
            where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
              and l.database = (select oid from pg_database where datname = current_database())
        ), seen as materialized (
            select w.id,
                   exists (select from locks l where l.key = w.lock_key)
                   or exists (select from sessions s where right(s.name, 36) = w.process_id::text) as lives,
                   w.heartbeat_at > (select max(began) from sessions) as renewed
            from workers w
        )
        select array(select id from seen where (lives or renewed) and $1) as "alive!",
               array(select id from seen where not lives) as "missing!",
               $2 and exists (select from jobs where owner is not null and expires_at < clock_timestamp()) as "expired!",
               exists (select from jobs where state = 'scheduled' and run_at <= clock_timestamp()) as "due!",
               (select count(*) from sessions where name like '% sweeper %') as "sweepers!"
        "#,
        for_living,
        for_expired,
    )
    .fetch_one(executor)
    .await
}
