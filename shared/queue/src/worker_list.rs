//! Lists workers for operators, and asks one to drain.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// NOTIFY channel of drain requests. The payload is the worker's id.
pub(crate) const DRAIN_CHANNEL: &str = "tarsy_drain";

/// Age of a heartbeat, in seconds, from which on a live worker counts as silent: five intervals.
const SILENT_AFTER_SECONDS: f64 = 15.0;

/// A worker process and the jobs that it runs.
#[derive(Debug, Clone, serde::Serialize)]
pub struct WorkerStats {
    /// Id of this run of the worker, new with every start.
    pub id: Uuid,
    /// Kind of the worker, e.g. `stage-worker`.
    pub role: String,
    /// Host that the worker runs on.
    pub host: String,
    /// Process id on that host.
    pub pid: i32,
    /// Version of the program.
    pub version: String,
    /// Queues that the worker claims from.
    pub queues: Vec<String>,
    /// Names that jobs may require of this worker. `None`: offers everything.
    pub offers: Option<Vec<String>>,
    /// Number of jobs that the worker can run at the same time.
    pub slots: i32,
    /// Time of its start.
    pub started_at: DateTime<Utc>,
    /// Time of the last heartbeat.
    pub heartbeat_at: DateTime<Utc>,
    /// Age of the last heartbeat, in seconds.
    pub heartbeat_age_seconds: f64,
    /// Whether the worker holds the lock that only a live process holds. The next sweep removes a dead worker from the
    /// list.
    pub alive: bool,
    /// Whether the worker is draining: it claims nothing more and ends.
    pub draining: bool,
    /// Whether an operator asked the worker to drain.
    pub drain_requested: bool,
    /// Problem that prevents the worker from working, as reported by itself.
    pub trouble: Option<String>,
    /// Hash of the configuration that the worker runs, if reported.
    pub config_hash: Option<String>,
    /// Since when the worker runs this configuration.
    pub config_since: Option<DateTime<Utc>>,
    /// Jobs that the worker runs now.
    pub running: Vec<RunningJob>,
}

impl WorkerStats {
    /// Returns whether the worker has sent no heartbeat for a while. A stopped process (SIGSTOP, a frozen container)
    /// is silent but alive, because it keeps its lock.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.heartbeat_age_seconds >= SILENT_AFTER_SECONDS
    }
}

/// A job that a worker holds.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunningJob {
    /// Id of the job.
    pub id: Uuid,
    /// Queue of the job.
    pub queue: String,
    /// Kind of work, which selects the handler.
    pub kind: String,
    /// The session or stage execution that the job is about.
    pub subject: Uuid,
    /// Seconds until its lease expires unless renewed. Negative if it has expired.
    pub expires_in_seconds: f64,
}

/// Returns all workers with the jobs they hold, oldest first.
pub async fn list_workers(conn: &mut PgConnection) -> Result<Vec<WorkerStats>, Error> {
    let workers = sqlx::query!(
        r#"
        select w.id, w.role, w.host, w.pid, w.version, w.queues, w.offers, w.slots, w.started_at, w.heartbeat_at, w.draining,
               w.drain_requested, w.trouble, w.config_hash, w.config_since,
               extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as "heartbeat_age_seconds!",
               exists (
                   select from pg_locks l
                   where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
                     and l.database = (select oid from pg_database where datname = current_database())
                     and (l.classid::bigint << 32) | l.objid::bigint = w.lock_key
               ) as "alive!"
        from workers w order by w.started_at, w.id
        "#
    )
    .fetch_all(&mut *conn)
    .await?;
    let jobs = sqlx::query!(
        r#"select owner as "owner!", id, queue, kind, subject,
                  extract(epoch from expires_at - clock_timestamp())::float8 as "expires_in_seconds!"
           from jobs where owner is not null order by id"#
    )
    .fetch_all(conn)
    .await?;
    let running = |owner: Uuid| {
        let held = jobs.iter().filter(|job| job.owner == owner);
        held.map(|job| RunningJob {
            id: job.id,
            queue: job.queue.clone(),
            kind: job.kind.clone(),
            subject: job.subject,
            expires_in_seconds: job.expires_in_seconds,
        })
        .collect()
    };
    let stats = workers.into_iter().map(|w| WorkerStats {
        running: running(w.id),
        id: w.id,
        role: w.role,
        host: w.host,
        pid: w.pid,
        version: w.version,
        queues: w.queues,
        offers: w.offers,
        slots: w.slots,
        started_at: w.started_at,
        heartbeat_at: w.heartbeat_at,
        heartbeat_age_seconds: w.heartbeat_age_seconds,
        alive: w.alive,
        draining: w.draining,
        drain_requested: w.drain_requested,
        trouble: w.trouble,
        config_since: w.config_hash.as_ref().and(w.config_since),
        config_hash: w.config_hash,
    });
    Ok(stats.collect())
}

/// Asks a worker to drain and end, as SIGTERM would. Returns whether the worker exists.
///
/// Takes part in the caller's transaction and reaches the worker on commit. A worker that misses the notification
/// notices the request at its next renewal (a sixth of the time set by
/// [`lease_ttl`](crate::WorkerBuilder::lease_ttl)).
pub async fn request_drain(conn: &mut PgConnection, worker: Uuid) -> Result<bool, Error> {
    let updated = sqlx::query_scalar!(
        r#"
        with updated as (update workers set drain_requested = true where id = $1 returning id)
        select pg_notify($2, id::text) is not null as "notified!" from updated
        "#,
        worker,
        DRAIN_CHANNEL,
    )
    .fetch_optional(conn)
    .await?;
    Ok(updated.is_some())
}
