//! Scans for work of the sweeper, in one read-only statement.

use sqlx::PgExecutor;
use uuid::Uuid;

/// Result of a scan.
#[derive(Debug)]
pub(super) struct Scan {
    /// Workers that live, or have sent a heartbeat since this session began, if they were asked for.
    pub(super) alive: Vec<Uuid>,
    /// Workers without their lock and without any other session of their process.
    pub(super) missing: Vec<Uuid>,
    /// Whether a lease has run out, if that was asked for.
    pub(super) expired: bool,
    /// Whether a scheduled job is due.
    pub(super) due: bool,
    /// Sweepers with a session now.
    pub(super) sweepers: i64,
}

/// Scan for dead workers, expired leases and due jobs.
///
/// A process whose lock is gone lives if another of its sessions does ([`session_name`](crate::session_name)),
/// however long that works on a statement: its backend looks for the end of the process meanwhile
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
